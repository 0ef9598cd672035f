import type { UsageRow } from "@spoor/protocol/api";
import type { UsageGroup } from "@spoor/protocol/api/values";
import type { StoredRun } from "../../log/records.ts";

/** Usage without the fields by which it is grouped. */
export type UsageTotal = Omit<UsageRow, "day" | "agent" | "model" | "task_id" | "session_id">;

/** Adds up runs by group. Each run is added once; what it continues is another run. */
export class UsageFold {
  readonly total: UsageTotal = emptyTotal();
  readonly #by: readonly UsageGroup[];
  readonly #rows = new Map<string, UsageRow>();

  constructor(by: readonly UsageGroup[]) {
    this.#by = by;
  }

  add(run: StoredRun): void {
    const group = Object.assign({}, ...this.#by.map((name) => groups[name](run))) as Partial<UsageRow>;
    const key = JSON.stringify(group);
    const row = this.#rows.get(key) ?? { ...group, ...emptyTotal() };
    this.#rows.set(key, row);
    addRun(row, run);
    addRun(this.total, run);
  }

  /** Days in order; within a day, and without days, the greatest cost first. */
  rows(): UsageRow[] {
    return [...this.#rows.values()].sort(
      (a, b) => (a.day ?? "").localeCompare(b.day ?? "") || b.cost_micros_usd - a.cost_micros_usd || b.runs - a.runs,
    );
  }
}

const groups: Readonly<Record<UsageGroup, (run: StoredRun) => Partial<UsageRow>>> = {
  day: ({ created_at }) => ({ day: new Date(created_at).toISOString().slice(0, 10) }),
  agent: ({ agent }) => ({ agent }),
  model: ({ model = "" }) => ({ model }),
  task: ({ task_id }) => ({ task_id }),
  session: ({ session_id = "" }) => ({ session_id }),
};

const emptyTotal = (): UsageTotal => ({
  runs: 0,
  runs_without_cost: 0,
  turns: 0,
  cost_micros_usd: 0,
  cost_by_source: {},
});

/** Kinds of runs that call no model, so that they cost nothing. */
const withoutModel: ReadonlySet<string> = new Set(["shell", "git", "file"]);

function addRun(total: UsageTotal, { kind, turns = 0, cost_micros_usd, cost_source }: StoredRun): void {
  total.runs += 1;
  total.turns += turns;
  if (cost_micros_usd === undefined) {
    if (!withoutModel.has(kind)) total.runs_without_cost += 1;
    return;
  }
  total.cost_micros_usd += cost_micros_usd;
  if (!isSource(cost_source)) return;
  total.cost_by_source[cost_source] = (total.cost_by_source[cost_source] ?? 0) + cost_micros_usd;
  total.cost_source = joinSources(total.cost_source, cost_source);
}

type Source = keyof UsageTotal["cost_by_source"];

const isSource = (source: string | undefined): source is Source =>
  source === "billed" || source === "agent_reported" || source === "estimated";

/** The source of a sum of two costs. */
export const joinSources = <One extends string>(one: One | "mixed" | undefined, other: One): One | "mixed" =>
  one === undefined || one === other ? other : "mixed";
