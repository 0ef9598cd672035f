import { idPrefixes } from "@spoor/protocol/ids";
import type { Log } from "../../../log/log.ts";
import type { StoredRun } from "../../../log/records.ts";
import { McpRefusal } from "../answers/refusal.ts";

/** Finds the run that an agent named, by the rules of the command line. */
export async function findRun(log: Log, named: string): Promise<StoredRun> {
  // The end of an id is printed as `…7KSMXP`.
  const part = named.trim().replace(/^(…|\.\.\.)(?=.)/, "");
  if (part === "last") return newestRun(log);
  const exact = await log.run(part);
  if (exact) return exact;
  const found: StoredRun[] = [];
  // A whole id that is not known matches no other run.
  const isWhole = part.length >= idPrefixes.run.length + ULID_LENGTH;
  for await (const run of isWhole ? [] : runsOf(log)) {
    if (isPart(run.run_id, part)) found.push(run);
    if (found.length > MOST_NAMED) break;
  }
  const [only] = found;
  if (only && found.length === 1) return only;
  const name = JSON.stringify(part.slice(0, 80));
  if (!only) throw new McpRefusal("run_not_found", `There is no run ${name}. list_runs lists the runs, newest first.`);
  const ids = found.slice(0, MOST_NAMED).map(({ run_id }) => run_id);
  throw new McpRefusal("run_not_unique", `${name} matches several runs: ${ids.join(", ")}. Name one by its whole id.`);
}

const MOST_NAMED = 5;
const ULID_LENGTH = 26;

/** Skips runs of subagents: they are newer than the run that started them. */
async function newestRun(log: Log): Promise<StoredRun> {
  let newest: StoredRun | undefined;
  for await (const run of runsOf(log)) {
    if (run.parent_run_id === undefined) return run;
    newest ??= run;
  }
  if (newest) return newest;
  throw new McpRefusal("run_not_found", "Nothing is recorded yet. `spoor run` records a run.");
}

async function* runsOf(log: Log): AsyncGenerator<StoredRun> {
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await log.runs({ limit: 500, hide_renormalized: true, ...(before !== undefined && { before }) });
    yield* page.runs;
    before = page.runs.at(-1)?.run_id;
    more = page.more && before !== undefined;
  }
}

function isPart(run_id: string, part: string): boolean {
  const [whole, wanted] = [run_id.toLowerCase(), part.toLowerCase()];
  return (
    wanted.length >= 3 &&
    (whole.startsWith(wanted) || whole.endsWith(wanted) || whole.slice(idPrefixes.run.length).startsWith(wanted))
  );
}
