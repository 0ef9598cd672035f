import type { RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";
import { cost, count, duration, sourcePhrase, stepTime, UNKNOWN } from "../ui/format.ts";

/** A run as it is compared. */
export interface ComparedRun {
  readonly record: RunRecord;
  readonly view: RunView;
}

/** One figure of one run. */
export interface Figure {
  readonly text: string;
  /** Absent where it is not known. */
  readonly value?: number;
  /** From 0 to 1, against the largest of all runs. */
  readonly share: number;
  readonly isLeast: boolean;
  /** A word beside the figure, such as the source of a cost. */
  readonly tag?: string;
  /** What went wrong, such as `1 failed`. */
  readonly bad?: string;
}

interface FigureRow {
  readonly name: string;
  readonly figures: readonly Figure[];
}

type Plain = Pick<Figure, "text" | "value" | "tag" | "bad">;

/** The figures of runs, one row for each. The smallest is named only when all runs are over: until then it can still grow. */
export function figureRows(runs: readonly ComparedRun[], now: number): FigureRow[] {
  const areOver = runs.every(({ record }) => record.ended_at !== undefined);
  return rows.map(({ name, read }) => ({
    name,
    figures: compared(
      runs.map((run) => read(run, now)),
      areOver,
    ),
  }));
}

/** How long a run took, or takes so far, in milliseconds. */
export function lengthOf({ record }: Pick<ComparedRun, "record">, now: number): number {
  const end = record.ended_at === undefined ? now : Date.parse(record.ended_at);
  return Math.max(0, end - Date.parse(record.created_at));
}

/** Where the costs come from, if they do not come from the same source. */
export function costNote(runs: readonly ComparedRun[]): string | undefined {
  const sources = runs.map((run) => ({ agent: run.record.agent, source: costOf(run).source }));
  if (new Set(sources.map(({ source }) => source)).size < 2) return undefined;
  const parts = [...Map.groupBy(sources, ({ source }) => source)].map(([source, own]) => {
    const agents = [...new Set(own.map(({ agent }) => agent))].join(" and ");
    return `${agents}: ${sourcePhrase(source)}`;
  });
  return `The costs have different sources. ${parts.join("; ")}.`;
}

const rows: readonly { name: string; read: (run: ComparedRun, now: number) => Plain }[] = [
  { name: "Time", read: (run, now) => ({ text: timeWords(lengthOf(run, now)), value: lengthOf(run, now) }) },
  {
    name: "Cost",
    read: (run) => {
      const { amount, source } = costOf(run);
      const micros = run.record.cost_micros_usd ?? run.view.cost.micros;
      return { text: amount, tag: source, ...(amount !== UNKNOWN && { value: micros }) };
    },
  },
  { name: "Turns", read: ({ record, view }) => counted(record.turns ?? view.turns.length) },
  { name: "Tokens in", read: ({ view }) => known(view.cost.inputTokens) },
  { name: "Tokens out", read: ({ view }) => known(view.cost.outputTokens) },
  {
    name: "Tool calls",
    read: ({ view }) => {
      const failed = view.tools.filter(({ state }) => state === "failed" || state === "timed_out").length;
      return { ...counted(view.tools.length), ...(failed > 0 && { bad: `${count(failed)} failed` }) };
    },
  },
  {
    name: "Asked you",
    read: ({ view }) => {
      const times = view.approvals.length + view.questions.length;
      return { text: timesWords[times] ?? `${count(times)} times`, value: times };
    },
  },
];

/** Runs that took seconds are told apart by their tenths. */
const timeWords = (ms: number): string => (ms < 10_000 ? stepTime(ms) : duration(ms));

const timesWords = ["never", "once", "twice"];

const counted = (value: number): Plain => ({ text: count(value), value });
/** Agents that tell no tokens have 0 of them in the view. */
const known = (value: number): Plain => (value > 0 ? counted(value) : { text: UNKNOWN });

const costOf = ({ record, view }: ComparedRun) => {
  const micros = record.cost_micros_usd ?? view.cost.micros;
  const source = record.cost_source ?? (micros > 0 ? view.cost.source : undefined);
  return cost(micros, source);
};

function compared(figures: readonly Plain[], canName: boolean): Figure[] {
  const values = figures.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const hasLeast = canName && values.length > 1 && least < most;
  return figures.map((figure) => ({
    ...figure,
    share: figure.value === undefined || most <= 0 ? 0 : figure.value / most,
    isLeast: hasLeast && figure.value === least,
  }));
}
