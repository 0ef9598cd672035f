import { existsSync } from "node:fs";
import { LogError } from "../../log/errors.ts";
import { exportBundle } from "../../runtime/bundle/export.ts";
import { counted } from "../counted.ts";
import { ExitError } from "../exit-error.ts";
import { type DataOption, findRun, withLog } from "../history/open.ts";
import type { Io } from "../io.ts";
import { visible } from "../visible.ts";

export interface ExportOptions extends DataOption {
  out?: string;
  force?: true;
  json?: true;
}

/** Writes a run into a file that can be checked without the log. */
export function exportRun(
  said: string | undefined,
  { out, force, json, ...data }: ExportOptions,
  io: Io,
): Promise<void> {
  return withLog(data, async (log) => {
    const { run_id } = await findRun(log, said);
    const file = out ?? `${run_id}.spoor.gz`;
    if (existsSync(file) && !force) throw new ExitError(1, `${visible(file)} is there already. --force replaces it.`);
    const { events, head } = await untilStopped((signal) => exportBundle(log, run_id, file, signal)).catch((error) => {
      throw error instanceof ExitError || error instanceof LogError
        ? error
        : new ExitError(1, `Cannot write ${visible(file)}: ${visible(error.message)}`);
    });
    if (json) io.stdout.write(`${JSON.stringify({ file, run_id, events, head })}\n`);
    else
      io.stdout.write(
        `${visible(file)} holds ${counted(events, "event")} of ${run_id}.\nCheck it anywhere: spoor verify --file ${visible(file)}\n`,
      );
  });
}

/** Ctrl-C leaves nothing half done behind. */
async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.once("SIGINT", stop);
  try {
    return await work(stopped.signal);
  } catch (error) {
    throw stopped.signal.aborted ? new ExitError(130) : error;
  } finally {
    process.off("SIGINT", stop);
  }
}
