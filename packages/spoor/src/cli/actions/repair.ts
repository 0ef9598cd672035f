import { LogError } from "../../log/errors.ts";
import { dataDirectory, logExists, openLog } from "../../log/open.ts";
import type { Difference } from "../../runtime/repair/differences.ts";
import { RepairError, type Repaired, repair } from "../../runtime/repair/repair.ts";
import { findClaim } from "../../server/serving/claim.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface RepairCommandOptions extends DataOption {
  check?: true;
  json?: true;
}

/** Makes every row that follows from events again, or compares only. */
export async function repairLog({ data, check, json }: RepairCommandOptions, io: Io): Promise<void> {
  const directory = data ?? dataDirectory();
  if (!logExists(directory)) throw new ExitError(1, `Nothing is recorded in ${terminalSafe(directory)} yet.`);
  refuseServer(directory);
  const repaired = await repairIn(directory, check === true, progressTo(io));
  const { differences, ...totals } = repaired;
  if (json) printJson(io.stdout, { ...totals, differences: differences.map(({ expected: _, ...each }) => each) }, 2);
  else io.stdout.write(textOf(repaired));
  if (check && differences.length > 0) throw new ExitError(1, "");
}

/** A server performs runs and writes rows. */
function refuseServer(directory: string): void {
  const claim = findClaim(directory);
  if (!claim) return;
  const { note } = claim;
  const which = note ? `at ${note.url} (process ${note.pid})` : "that is just starting";
  throw new ExitError(1, `A server ${which} works with this log. Stop it, and repair the log then.`);
}

async function repairIn(directory: string, check: boolean, onProgress: (runs: number, of: number) => void) {
  try {
    const log = await openLog({ directory, lockWaitMs: 30_000 });
    try {
      return await repair(log, { directory, check, onProgress: ({ runs, of }) => onProgress(runs, of) });
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    if (error instanceof RepairError) throw new ExitError(1, terminalSafe(error.message));
    throw error;
  }
}

/** Tells how far a long repair is, at most once a second. */
function progressTo({ stderr }: Io): (runs: number, of: number) => void {
  let last = Date.now();
  return (runs, of) => {
    if (Date.now() - last < 1_000) return;
    last = Date.now();
    stderr.write(`Read ${runs} of ${plural(of, "run")}.\n`);
  };
}

function textOf({ runs, events, incomplete, differences, written }: Repaired): string {
  const rows = differences.map((difference) => [difference.table, difference.key, problemOf(difference)]);
  const list = rows.length === 0 ? "" : table([["TABLE", "KEY", "PROBLEM"], ...rows]);
  const read = `Read ${plural(events, "event")} of ${plural(runs, "run")}`;
  const skipped = incomplete > 0 ? ` ${plural(incomplete, "run")} without some of their events stay as they are.` : "";
  const what = plural(differences.length, "row");
  const result = differences.length === 0 ? "all rows are right" : `${what} ${written ? "mended" : "differ"}`;
  return `${list}${read}: ${result}.${skipped}\n`;
}

function problemOf({ problem, columns }: Difference): string {
  if (!columns) return problem;
  const texts = Object.entries(columns).map(
    ([name, { stored, expected }]) => `${name} is ${short(stored)}, not ${short(expected)}`,
  );
  return texts.join("; ");
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text;
}
