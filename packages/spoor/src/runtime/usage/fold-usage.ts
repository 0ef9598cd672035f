import type { UsageRow } from "@spoor/protocol/api";
import type { UsageGroup } from "@spoor/protocol/api/values";
import type { StoredRun } from "../../log/records.ts";
import { createLocalDays } from "./local-day.ts";

/** Usage without the fields by which it is grouped. */
export type UsageTotal = Omit<UsageRow, "day" | "agent" | "model" | "source" | "task_id" | "session_id">;

/** Adds up runs by group. Each run is added once; what it continues is another run. */
export class UsageFold {
  readonly total: UsageTotal = emptyTotal();
  readonly #by: readonly UsageGroup[];
  readonly #rows = new Map<string, UsageRow>();
  readonly #dayOf: (at: number) => string;

  /** Days are those of the time zone. */
  constructor(by: readonly UsageGroup[], timeZone: string = "UTC") {
    this.#by = by;
    this.#dayOf = createLocalDays(timeZone);
  }

  add(run: StoredRun): void {
    const group = Object.assign({}, ...this.#by.map((name) => groups[name](run, this.#dayOf))) as Partial<UsageRow>;
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

const groups: Readonly<Record<UsageGroup, (run: StoredRun, dayOf: (at: number) => string) => Partial<UsageRow>>> = {
  day: ({ created_at }, dayOf) => ({ day: dayOf(created_at) }),
  agent: ({ agent }) => ({ agent }),
  model: ({ model = "" }) => ({ model }),
  source: (run) => ({ source: sourceOf(run) }),
  task: ({ task_id }) => ({ task_id }),
  session: ({ session_id = "" }) => ({ session_id }),
};

const emptyTotal = (): UsageTotal => ({
  ...{ runs: 0, runs_without_cost: 0, runs_without_tokens: 0, runs_failed: 0, runs_cancelled: 0, turns: 0 },
  ...{ input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, thinking_tokens: 0 },
  cost_micros_usd: 0,
  cost_by_source: {},
});

/** Whether a run calls a model. Others cost nothing, so their cost is not unknown. */
export const callsModel = ({ kind }: Pick<StoredRun, "kind">): boolean => !withoutModel.has(kind);

const withoutModel: ReadonlySet<string> = new Set(["shell", "git", "file"]);

function addRun(total: UsageTotal, run: StoredRun): void {
  const { status, turns = 0, cost_micros_usd, cost_source } = run;
  total.runs += 1;
  total.turns += turns;
  if (status === "failed") total.runs_failed += 1;
  if (status === "cancelled") total.runs_cancelled += 1;
  if (run.input_tokens === undefined && run.output_tokens === undefined && callsModel(run))
    total.runs_without_tokens += 1;
  for (const name of tokens) total[name] += run[name] ?? 0;
  if (cost_micros_usd === undefined) {
    if (callsModel(run)) total.runs_without_cost += 1;
    return;
  }
  total.cost_micros_usd += cost_micros_usd;
  if (!isSource(cost_source)) return;
  total.cost_by_source[cost_source] = (total.cost_by_source[cost_source] ?? 0) + cost_micros_usd;
  total.cost_source = joinSources(total.cost_source, cost_source);
}

const tokens = ["input_tokens", "cached_input_tokens", "output_tokens", "thinking_tokens"] as const;

type Source = keyof UsageTotal["cost_by_source"];

const isSource = (source: string | undefined): source is Source =>
  source === "billed" || source === "agent_reported" || source === "estimated";

/** The source of a run's cost. A run whose cost is not known is never among those of a source. */
function sourceOf(run: StoredRun): string {
  if (run.cost_micros_usd === undefined) return callsModel(run) ? "unknown" : "none";
  return isSource(run.cost_source) ? run.cost_source : "unknown";
}

/** The source of a sum of two costs. */
export const joinSources = <One extends string>(one: One | "mixed" | undefined, other: One): One | "mixed" =>
  one === undefined || one === other ? other : "mixed";
