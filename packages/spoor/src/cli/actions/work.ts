import path from "node:path";
import { dataDirectory, openLog } from "../../log/open.ts";
import { loop } from "../../loop/loop-kind.ts";
import { Worker } from "../../runtime/queue/worker.ts";
import { recover } from "../../runtime/recovery/recover.ts";
import { resumeLost } from "../../runtime/tasks/resume-lost.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { exporters } from "../running/export-runs.ts";

export interface WorkOptions extends DataOption {
  workers: number;
  json?: true;
}

/** `spoor work`: performs queued runs until a signal ends it, without serving anything. */
export async function work({ data, workers, json }: WorkOptions, io: Io): Promise<void> {
  const directory = path.resolve(data ?? dataDirectory());
  const log = await openLog({ directory });
  const onFault = (error: unknown) =>
    io.stderr.write(`The worker failed and goes on: ${terminalSafe((error as Error).message)}\n`);
  const following = (await exporters((line) => io.stderr.write(`${terminalSafe(line)}\n`))).map((follow) =>
    follow(log, directory),
  );
  const successor = resumeLost({ log, directory, by: "spoor", kinds: [loop] });
  await recover(log, { successor });
  const lookForLost = () => void recover(log, { reason: "worker_lease_expired", successor }).catch(onFault);
  const rounds = setInterval(lookForLost, ROUND_MS);
  const worker = new Worker({
    log,
    directory,
    concurrency: workers,
    kinds: [loop],
    onFault,
    onProcessEnd: lookForLost,
  });
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  // Not `once`: while a listener is registered, children are not killed at the first signal.
  for (const signal of signals) process.on(signal, stop);
  io.stdout.write(
    json
      ? `${JSON.stringify({ directory, workers })}\n`
      : `Performing queued runs of ${terminalSafe(directory)}, at most ${workers} at a time. Ctrl-C stops.\n`,
  );
  await stopped.promise;
  for (const signal of signals) process.off(signal, stop);
  clearInterval(rounds);
  await worker.close();
  await Promise.all(following.map((one) => one.close()));
  await log.close();
}

const signals = ["SIGINT", "SIGTERM"] as const;
const ROUND_MS = 30_000;
