import type { StoredRun } from "../../log/records.ts";
import { callsModel } from "../../runtime/usage/fold-usage.ts";
import { day, dollars } from "../output/format.ts";
import { type Cell, type GridColumn, grid } from "../output/grid.ts";
import { layout } from "../output/line.ts";
import { plural } from "../output/plural.ts";
import type { Style } from "../output/style.ts";

interface Sum {
  runs: number;
  micros: number;
  isEstimated: boolean;
  unknown: number;
}

/** What runs have cost on each of the last days of the reader's clock, by agent. */
export async function costByDay(runs: AsyncIterable<StoredRun>, style: Style): Promise<string> {
  const days = new Map<number, Map<string, Sum>>();
  const all = new Map<string, Sum>();
  for await (const run of runs) {
    const midnight = new Date(run.created_at).setHours(0, 0, 0, 0);
    const byAgent = days.get(midnight) ?? new Map<string, Sum>();
    days.set(midnight, byAgent);
    for (const [sums, key] of [
      [byAgent, run.agent],
      [byAgent, ALL],
      [all, run.agent],
      [all, ALL],
    ] as const)
      add(sums, key, run);
  }
  const total = all.get(ALL);
  if (!total) return "No runs.\n";
  const agents = [...all.keys()].filter((agent) => agent !== ALL).sort();
  const columns: GridColumn[] = [
    { head: "DAY" },
    { head: "RUNS", align: "right" },
    { head: "COST" },
    ...agents.map((head, index) => ({ head, leaves: index + 1 })),
  ];
  const rowOf = (name: string, sums: ReadonlyMap<string, Sum>, role?: "strong"): Cell[] => [
    { text: name, role },
    { text: String(sums.get(ALL)?.runs ?? 0) },
    { text: dollars(sums.get(ALL)?.micros) },
    ...agents.map((agent) => ({ text: amount(sums.get(agent)) })),
  ];
  // Runs come newest first; a reader of days expects the newest last.
  const rows = [...days].reverse().map(([midnight, sums]) => rowOf(day(midnight), sums));
  const notes = [
    ...(total.isEstimated ? ["~ estimated"] : []),
    ...(total.unknown > 0
      ? [`${plural(total.unknown, "run")} of unknown cost ${total.unknown === 1 ? "is" : "are"} not in it`]
      : []),
  ];
  const foot = layout(
    notes.map((text) => ({ text, role: "dim", join: " · " })),
    style,
  );
  return `${grid(columns, [...rows, rowOf("all", all, "strong")], style)}${notes.length > 0 ? `${foot}\n` : ""}`;
}

function add(sums: Map<string, Sum>, key: string, run: StoredRun): void {
  const { cost_micros_usd, cost_source } = run;
  const sum = sums.get(key) ?? { runs: 0, micros: 0, isEstimated: false, unknown: 0 };
  sum.runs += 1;
  if (cost_micros_usd !== undefined) sum.micros += cost_micros_usd;
  else if (callsModel(run)) sum.unknown += 1;
  if (cost_source === "estimated" && cost_micros_usd) sum.isEstimated = true;
  sums.set(key, sum);
}

const amount = (sum: Sum | undefined): string =>
  sum === undefined ? "" : `${(sum.micros / 1_000_000).toFixed(2)}${sum.isEstimated ? "~" : ""}`;

/** The name of no agent. */
const ALL = "";
