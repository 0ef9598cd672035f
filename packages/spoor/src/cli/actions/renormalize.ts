import { SpoorError } from "../../failures/errors.ts";
import { renormalize } from "../../runtime/renormalize.ts";
import { ExitError } from "../exit-error.ts";
import { findRun } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface RenormalizeCommandOptions extends DataOption {
  json?: true;
}

/** Reads the raw lines of a run with the current adapters into a new run, and shows what changed. */
export function renormalizeRun(
  typed: string | undefined,
  { json, ...data }: RenormalizeCommandOptions,
  io: Io,
): Promise<void> {
  return withLog(data, async (log) => {
    const { run_id: read } = await findRun(log, typed);
    const { run_id, types, first } = await renormalize(log, read).catch((error: unknown) => {
      throw error instanceof SpoorError ? new ExitError(1, terminalSafe(error.message)) : error;
    });
    if (json) {
      printJson(io.stdout, { read_run_id: read, run_id, types, ...(first && { first }) });
      return;
    }
    io.stdout.write(`${read} was read again into ${run_id}.\n`);
    if (types.length === 0) {
      io.stdout.write("Nothing changed.\n");
      return;
    }
    const rows = types.map(({ type, added, removed, changed }) => [type, `+${added}`, `-${removed}`, `~${changed}`]);
    io.stdout.write(table([["TYPE", "NEW", "GONE", "CHANGED"], ...rows]));
    for (const [name, event] of Object.entries(first ?? {})) {
      io.stdout.write(`first ${name}: ${terminalSafe(JSON.stringify(event))}\n`);
    }
  });
}
