import type { UsageRow } from "@spoor/protocol/client";
import { tileOf } from "../ui/agent-tile.tsx";
import { sourceWord } from "../ui/format.ts";

/** How the bars are divided. */
export const splits = ["agent", "model", "source"] as const;
export type Split = (typeof splits)[number];

export const splitOf = (text: string | null): Split => splits.find((split) => split === text) ?? "agent";

/** One colour of the bars. */
export interface Series {
  readonly id: string;
  readonly name: string;
  /** The name of a token. */
  readonly colour: string;
  readonly isHatched: boolean;
  readonly micros: number;
}

/** More groups than this are joined. */
const MOST_SERIES = 5;

/** The groups that cost something, the greatest first; beyond the fifth they are one group. */
export function seriesOf(rows: readonly UsageRow[], split: Split): Series[] {
  const sums = new Map<string, number>();
  for (const row of rows) {
    if (row.cost_micros_usd === 0) continue;
    const id = groupOf(row, split);
    sums.set(id, (sums.get(id) ?? 0) + row.cost_micros_usd);
  }
  const sorted = [...sums].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
  const isFew = sorted.length <= MOST_SERIES + 1;
  const own = isFew ? sorted : sorted.slice(0, MOST_SERIES);
  const rest = isFew ? [] : sorted.slice(MOST_SERIES);
  const free = new Set(["s-1", "s-2", "s-3", "s-4", "s-5", "ink-2", "ink-3"]);
  const take = (wanted: string | undefined): string => {
    const [next = "ink-3"] = wanted !== undefined && free.has(wanted) ? [wanted] : free;
    free.delete(next);
    return next;
  };
  const series = own.map(([id, micros]) => ({
    id,
    name: nameOf(id, split),
    colour: split === "source" ? "ink-2" : take(split === "agent" ? tileOf(id).colour : undefined),
    isHatched: split === "source" && id === "estimated",
    micros,
  }));
  if (rest.length === 0) return series;
  const micros = rest.reduce((sum, [, each]) => sum + each, 0);
  return [...series, { id: OTHERS, name: `${rest.length} others`, colour: "ink-3", isHatched: false, micros }];
}

const OTHERS = "\u0000others";

/** The cost of each series on each day. */
export function stacksOf(
  days: readonly string[],
  rows: readonly UsageRow[],
  series: readonly Series[],
  split: Split,
): { day: string; parts: number[]; micros: number }[] {
  const place = new Map(series.map(({ id }, index) => [id, index]));
  const others = place.get(OTHERS);
  const stacks = new Map(days.map((day) => [day, { day, parts: series.map(() => 0), micros: 0 }]));
  for (const row of rows) {
    const stack = stacks.get(row.day ?? "");
    const index = place.get(groupOf(row, split)) ?? others;
    if (!stack || index === undefined) continue;
    stack.parts[index] = (stack.parts[index] ?? 0) + row.cost_micros_usd;
    stack.micros += row.cost_micros_usd;
  }
  return [...stacks.values()];
}

const groupOf = (row: UsageRow, split: Split): string => row[split] ?? "";

const nameOf = (id: string, split: Split): string =>
  split === "source" ? sourceWord(id) : id === "" ? "unknown model" : id;

/** A row of the table: one model of one agent. */
export interface ModelUsage {
  readonly agent: string;
  readonly model: string;
  readonly runs: number;
  readonly runsWithoutCost: number;
  readonly runsWithoutTokens: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly micros: number;
  readonly source: string;
}

/** What each model of each agent used, the greatest cost first. */
export function modelsOf(rows: readonly UsageRow[]): ModelUsage[] {
  const groups = Map.groupBy(rows, ({ agent = "", model = "" }) => JSON.stringify([agent, model]));
  const sum = (group: readonly UsageRow[], field: NumberField) => group.reduce((total, row) => total + row[field], 0);
  return [...groups.values()]
    .map((group) => ({
      agent: group[0]?.agent ?? "",
      model: group[0]?.model ?? "",
      runs: sum(group, "runs"),
      runsWithoutCost: sum(group, "runs_without_cost"),
      runsWithoutTokens: sum(group, "runs_without_tokens"),
      inputTokens: sum(group, "input_tokens"),
      cachedTokens: sum(group, "cached_input_tokens"),
      outputTokens: sum(group, "output_tokens"),
      micros: sum(group, "cost_micros_usd"),
      source: joined(group.map(({ source = "unknown" }) => source)),
    }))
    .sort((a, b) => b.micros - a.micros || b.runs - a.runs || a.agent.localeCompare(b.agent));
}

type NumberField = {
  [Name in keyof UsageRow]-?: UsageRow[Name] extends number ? Name : never;
}[keyof UsageRow];

/** Runs of unknown cost are counted apart, so they do not make a source mixed. */
function joined(sources: readonly string[]): string {
  const known = new Set(sources.filter((source) => source !== "unknown" && source !== "none"));
  if (known.size > 1) return "mixed";
  return [...known][0] ?? (sources.includes("unknown") ? "unknown" : "none");
}

/** Round steps of the scale: at most four lines, and the top of the picture. */
export function scaleOf(most: number): { top: number; lines: number[] } {
  if (most <= 0) return { top: 1, lines: [] };
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? power * 10;
  const count = Math.ceil(most / step);
  return { top: count * step, lines: Array.from({ length: count }, (_, index) => (index + 1) * step) };
}

/** The rows as a table for other programs. A text that a spreadsheet would calculate is made harmless. */
export function csvOf(rows: readonly UsageRow[]): string {
  const names = [
    ...(["day", "agent", "model", "source", "runs", "runs_without_cost", "turns", "input_tokens"] as const),
    ...(["cached_input_tokens", "output_tokens", "thinking_tokens", "cost_micros_usd"] as const),
  ];
  const cell = (value: unknown) => {
    const text = String(value ?? "");
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [names.join(","), ...rows.map((row) => names.map((name) => cell(row[name])).join(","))].join("\n");
}
