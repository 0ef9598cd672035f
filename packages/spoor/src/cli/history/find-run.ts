import { idPrefixes } from "@spoor/protocol/ids";
import type { Log } from "../../log/log.ts";
import type { StoredRun, StoredTask } from "../../log/records.ts";
import { ExitError } from "../exit-error.ts";
import { ago } from "../output/format.ts";
import { plural } from "../output/plural.ts";
import { table } from "../output/table.ts";
import { statusOf } from "./status-of.ts";

/**
 * Finds the run that a person named. `last`, or no name, is the newest run that is not the run of a subagent. Otherwise the
 * name is an id, or a part at the beginning or end of an id that matches only one run.
 */
export function findRun(log: Log, typed: string | undefined): Promise<StoredRun> {
  return find(typed, {
    noun: "run",
    prefix: idPrefixes.run,
    idOf: ({ run_id }: StoredRun) => run_id,
    exact: (id) => log.run(id),
    newest: () => newestRun(log),
    page: async (limit, before) => {
      const { runs: items, more } = await log.runs({ limit, ...(before !== undefined && { before }) });
      return { items, more };
    },
    describe: (run) => [run.run_id, run.agent, statusOf(run), ago(run.created_at), run.title ?? ""],
  });
}

/** Skips runs of subagents: they are newer than the run that started them. */
async function newestRun(log: Log): Promise<StoredRun | undefined> {
  let newest: StoredRun | undefined;
  let before: string | undefined;
  for (;;) {
    const { runs, more } = await log.runs({
      limit: 100,
      hide_renormalized: true,
      ...(before !== undefined && { before }),
    });
    newest ??= runs[0];
    const own = runs.find(({ parent_run_id }) => parent_run_id === undefined);
    if (own) return own;
    before = runs.at(-1)?.run_id;
    if (!more || before === undefined) return newest;
  }
}

/** Finds the task that a person named, by the same rules. */
export function findTask(log: Log, typed: string): Promise<StoredTask> {
  return find(typed, {
    noun: "task",
    prefix: idPrefixes.task,
    idOf: ({ task_id }: StoredTask) => task_id,
    exact: (id) => log.task(id),
    newest: async () => (await log.tasks({ limit: 1 })).tasks[0],
    page: async (limit, before) => {
      const { tasks: items, more } = await log.tasks({ limit, ...(before !== undefined && { before }) });
      return { items, more };
    },
    describe: ({ task_id, run_count, updated_at, title = "" }) => [
      ...[task_id, plural(run_count, "run"), ago(updated_at), title],
    ],
  });
}

/** Whether an id begins or ends with a part, with or without the prefix of the id, ignoring case. */
export function matchesPart(id: string, typed: string, prefix = ""): boolean {
  const [whole, part] = [id.toLowerCase(), typed.toLowerCase()];
  return whole.startsWith(part) || whole.endsWith(part) || whole.slice(prefix.length).startsWith(part);
}

interface Kind<Item> {
  noun: "run" | "task";
  prefix: string;
  idOf(item: Item): string;
  exact(id: string): Promise<Item | undefined>;
  newest(): Promise<Item | undefined>;
  page(limit: number, before: string | undefined): Promise<{ items: Item[]; more: boolean }>;
  /** A row of a table by which a person recognises the item. */
  describe(item: Item): string[];
}

async function find<Item>(given: string | undefined, kind: Kind<Item>): Promise<Item> {
  // The end of an id is printed as `…7KSMXP`, and may be copied with its dots.
  const typed = given?.replace(/^(…|\.\.\.)(?=.)/, "");
  const { noun, prefix, idOf, exact, newest, page, describe } = kind;
  if (typed === undefined || typed === "last") {
    const last = await newest();
    if (last) return last;
    throw new ExitError(1, "Nothing is recorded yet. Record a run with `spoor run`.");
  }
  if (typed === "") throw new ExitError(2, `The id of the ${noun} is empty. \`spoor ls\` lists the recorded runs.`);
  const named = await exact(typed);
  if (named) return named;
  const meant: Item[] = [];
  let before: string | undefined;
  for (let more = true; more; ) {
    const { items, more: isMore } = await page(1_000, before);
    meant.push(...items.filter((item) => matchesPart(idOf(item), typed, prefix)));
    const last = items.at(-1);
    before = last && idOf(last);
    more = isMore && last !== undefined;
  }
  const [only] = meant;
  if (only && meant.length === 1) return only;
  if (!only) throw new ExitError(1, `There is no ${noun} "${typed}". \`spoor ls\` lists the recorded runs.`);
  const rest = meant.length > SHOWN ? `  and ${meant.length - SHOWN} more\n` : "";
  const rows = table(
    meant.slice(0, SHOWN).map((item) => ["", ...describe(item)]),
    { columns: LONGEST_ROW },
  );
  const advice = "Type more of the id, from its beginning or its end.";
  throw new ExitError(1, `"${typed}" matches ${meant.length} ${noun}s:\n${rows}${rest}${advice}`);
}

const SHOWN = 10;
const LONGEST_ROW = 120;
