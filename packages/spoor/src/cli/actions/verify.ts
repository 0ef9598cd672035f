import { snakeCase } from "../../inventory/snake-case.ts";
import type { RunVerdict } from "../../log/log.ts";
import { verifyBundle } from "../../runtime/bundle/verify.ts";
import { ExitError } from "../exit-error.ts";
import { findRun } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface VerifyOptions extends DataOption {
  file?: string;
  json?: true;
}

/** Computes the hash chain again and reports every difference. Exit code 1 if there is any. */
export async function verify(typed: string | undefined, options: VerifyOptions, io: Io): Promise<void> {
  if (typed !== undefined && options.file !== undefined)
    throw new ExitError(2, "A run and --file exclude each other: check a run of the log, or an exported file.");
  const isWhole =
    options.file === undefined ? await verifyLog(typed, options, io) : await verifyFile(options.file, options, io);
  if (!isWhole) throw new ExitError(1);
}

function verifyLog(typed: string | undefined, { json, ...data }: VerifyOptions, io: Io): Promise<boolean> {
  return withLog(data, async (log) => {
    const run_id = typed === undefined ? undefined : (await findRun(log, typed)).run_id;
    const total = { runs: 0, events: 0, damaged: 0 };
    for await (const verdict of log.upkeep.verify(run_id)) {
      total.runs += verdict.run_id === "" ? 0 : 1;
      total.events += verdict.events;
      if (verdict.damage.length > 0 || verdict.tape) total.damaged += 1;
      if (json) printJson(io.stdout, verdict.run_id === "" ? ofWholeLog(verdict) : verdict);
      else {
        for (const { first_sequence, last_sequence, reason } of verdict.damage) {
          const place = verdict.run_id === "" ? "the log, positions" : terminalSafe(verdict.run_id);
          io.stdout.write(`${place} ${first_sequence} to ${last_sequence}: ${reason}\n`);
        }
        if (verdict.tape) io.stdout.write(`${terminalSafe(verdict.run_id)} raw lines: ${verdict.tape}\n`);
      }
    }
    if (!json)
      io.stdout.write(
        `${plural(total.events, "event")} of ${plural(total.runs, "run")}: ${total.damaged === 0 ? "all as they were written" : `${total.damaged} damaged`}.\n`,
      );
    return total.damaged === 0;
  });
}

/** Damage that belongs to no run is reported by position. */
function ofWholeLog({ run_id: _, damage, ...verdict }: RunVerdict): object {
  return {
    ...verdict,
    run_id: null,
    damage: damage.map(({ first_sequence, last_sequence, reason }) => ({
      first_position: first_sequence,
      last_position: last_sequence,
      reason,
    })),
  };
}

async function verifyFile(file: string, { json }: VerifyOptions, io: Io): Promise<boolean> {
  const verdict = await verifyBundle(file === "-" ? io.stdin : file).catch((error: Error) => {
    throw new ExitError(2, `Cannot read ${terminalSafe(file)}: ${terminalSafe(error.message)}`);
  });
  const { problems, events, run } = verdict;
  // Files of older versions contain times in milliseconds.
  if (json) printJson(io.stdout, snakeCase(verdict));
  else {
    for (const problem of problems) io.stdout.write(`${terminalSafe(problem)}\n`);
    if (problems.length === 0)
      io.stdout.write(`${plural(events, "event")} of ${terminalSafe(run?.run_id ?? "")}: all as they were written.\n`);
  }
  return problems.length === 0;
}
