import { existsSync } from "node:fs";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { exportBundle, exportTo } from "../../runtime/bundle/export.ts";
import { ExitError } from "../exit-error.ts";
import { findRun } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { unwritableReason } from "../output/unwritable-file.ts";

export interface ExportOptions extends DataOption {
  out?: string;
  force?: true;
  json?: true;
}

/** Writes a run to a file or to standard output, in a form that can be verified without the log. */
export function exportRun(
  typed: string | undefined,
  { out, force, json, ...data }: ExportOptions,
  io: Io,
): Promise<void> {
  return withLog(data, async (log) => {
    const { run_id } = await findRun(log, typed);
    if (out === "-") return toOutput(log, run_id, json === true, io);
    const file = out ?? `${run_id}.spoor.gz`;
    if (existsSync(file) && !force)
      throw new ExitError(1, `${terminalSafe(file)} already exists. --force replaces it.`);
    const { events, head } = await untilStopped((signal) => exportBundle(log, run_id, file, signal)).catch((error) => {
      throw error instanceof ExitError || error instanceof LogError
        ? error
        : new ExitError(
            1,
            `Cannot write ${terminalSafe(file)}: ${unwritableReason(file) ?? terminalSafe(error.message)}`,
          );
    });
    if (json) printJson(io.stdout, { file, run_id, events, head });
    else
      io.stdout.write(
        `${terminalSafe(file)} holds ${plural(events, "event")} of ${run_id}.\nCheck it anywhere: spoor verify --file ${terminalSafe(file)}\n`,
      );
  });
}

/** The run goes to standard output, so messages go to standard error. */
async function toOutput(log: Log, run_id: string, json: boolean, io: Io): Promise<void> {
  if ((io.stdout as { isTTY?: boolean }).isTTY) {
    throw new ExitError(
      2,
      "--out - does not write to a terminal. Redirect it to a file or a program: `… --out - > run.spoor`.",
    );
  }
  const { events, head } = await untilStopped((signal) => exportTo(log, run_id, io.stdout, signal));
  if (json) printJson(io.stderr, { file: "-", run_id, events, head });
  else io.stderr.write(`${plural(events, "event")} of ${run_id} written. Check them: spoor verify --file -\n`);
}

/** Lets Ctrl-C abort the work, so that no incomplete file remains. */
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
