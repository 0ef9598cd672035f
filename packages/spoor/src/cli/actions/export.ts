import { existsSync, statSync } from "node:fs";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory } from "../../log/open.ts";
import { exportBundle, exportTo } from "../../runtime/bundle/export.ts";
import { type FileFormatName, fileFormats } from "../../translators/file-formats.ts";
import { ExitError } from "../exit-error.ts";
import { findRun } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { unwritableReason } from "../output/unwritable-file.ts";
import { exportAs } from "./export-format.ts";

export interface ExportOptions extends DataOption {
  format: "bundle" | FileFormatName;
  out?: string;
  force?: true;
  json?: true;
}

/** Writes a run to a file or to standard output, in a form that can be verified without the log. */
export function exportRun(
  typed: string | undefined,
  { format, out, force, json, ...data }: ExportOptions,
  io: Io,
): Promise<void> {
  return withLog(data, async (log) => {
    const { run_id } = await findRun(log, typed);
    const directory = data.data ?? dataDirectory();
    const form = format === "bundle" ? undefined : fileFormats[format];
    if (out === "-" && !form) return toOutput(log, run_id, json === true, io);
    const file = out ?? `${run_id}.${form?.extension ?? "spoor.gz"}`;
    if (file !== "-") checkPlace(file, force === true);
    if (form) {
      const events = await writing(file, (signal) =>
        exportAs(log, run_id, { format: form, file, directory, io, signal }),
      );
      if (json) printJson(file === "-" ? io.stderr : io.stdout, { file, run_id, events, format });
      else if (file !== "-") io.stdout.write(`${terminalSafe(file)} holds ${plural(events, "event")} of ${run_id}.\n`);
      return;
    }
    const { events, head } = await writing(file, (signal) => exportBundle(log, run_id, file, signal));
    if (json) printJson(io.stdout, { file, run_id, events, head });
    else
      io.stdout.write(
        `${terminalSafe(file)} holds ${plural(events, "event")} of ${run_id}.\nCheck it anywhere: spoor verify --file ${terminalSafe(file)}\n`,
      );
  });
}

/** The file is renamed to its name when it is complete, which must not replace a folder or a device. */
function checkPlace(file: string, force: boolean): void {
  if (file === "") throw new ExitError(1, `Cannot write the file: ${unwritableReason(file)}`);
  if (!existsSync(file)) return;
  const there = statSync(file);
  if (there.isDirectory()) throw new ExitError(1, `Cannot write ${terminalSafe(file)}: ${unwritableReason(file)}`);
  if (!there.isFile())
    throw new ExitError(
      1,
      `${terminalSafe(file)} is not a file. Name a file, or write to standard output by \`--out -\`.`,
    );
  if (!force) throw new ExitError(1, `${terminalSafe(file)} already exists. --force replaces it.`);
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

/** Says why a file cannot be written. */
const writing = <T>(file: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  untilStopped(work).catch((error) => {
    if (error instanceof ExitError || error instanceof LogError) throw error;
    throw new ExitError(
      1,
      `Cannot write ${terminalSafe(file)}: ${unwritableReason(file) ?? terminalSafe(error.message)}`,
    );
  });

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
