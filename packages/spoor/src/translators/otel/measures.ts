import type { RunSpan, RunView } from "@spoor/protocol";
import { agentOf, errorTypeOf, providerOf } from "./describe.ts";
import type { FoldedRun } from "./trace.ts";

/** One value of a metric. */
export interface Measure {
  readonly metric: MetricName;
  readonly value: number;
  /** Attributes without a value are left out. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

const callBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;

/** The metrics of Spoor: names of the GenAI conventions where they have one. A metric with `bounds` is a histogram, the others are counters. */
export const metrics = {
  "gen_ai.client.token.usage": {
    unit: "{token}",
    description: "Number of input and output tokens used.",
    bounds: [
      ...[1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144],
      ...[1_048_576, 4_194_304, 16_777_216, 67_108_864],
    ],
  },
  "gen_ai.client.operation.duration": {
    unit: "s",
    description: "How long a model call took, without its tools and waits.",
    bounds: callBounds,
  },
  "gen_ai.execute_tool.duration": {
    unit: "s",
    description: "How long a tool call took.",
    bounds: callBounds,
  },
  "gen_ai.invoke_agent.duration": {
    unit: "s",
    description: "How long a run took, from its creation to its end.",
    // The conventions end at 409.6; runs can take hours.
    bounds: [
      ...[0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
      ...[819.2, 1_638.4, 3_276.8, 6_553.6, 13_107.2, 26_214.4],
    ],
  },
  "spoor.runs": { unit: "{run}", description: "Runs that are over." },
  "spoor.cost": { unit: "USD", description: "What runs cost.", isDouble: true },
  "spoor.approval.wait": {
    unit: "s",
    description: "How long a run waited for the answer to an approval.",
    bounds: [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400],
  },
} as const satisfies Record<string, MetricShape>;

export type MetricName = keyof typeof metrics;

export interface MetricShape {
  /** By the Unified Code for Units of Measure. */
  readonly unit: string;
  readonly description: string;
  readonly bounds?: readonly number[];
  /** Whether values of a counter have fractions. */
  readonly isDouble?: true;
}

/** What a run that is over adds to the metrics. */
export function measuresOf({ view, times }: FoldedRun): Measure[] {
  const agent = { "gen_ai.agent.name": agentOf(view) };
  const model = { ...agent, "gen_ai.provider.name": providerOf(view), "gen_ai.request.model": view.model };
  const outcome = {
    "spoor.run.status": view.status,
    "error.type": errorTypeOf(view.end?.status, view.end?.code),
  };
  const { cost } = view;
  return [
    { metric: "spoor.runs", value: 1, attributes: { ...agent, ...outcome } },
    {
      metric: "gen_ai.invoke_agent.duration",
      value: seconds(times.end ?? times.last),
      attributes: { ...agent, ...outcome },
    },
    ...(cost.micros > 0
      ? [
          {
            metric: "spoor.cost" as const,
            value: cost.micros / 1_000_000,
            attributes: { ...model, "spoor.cost.source": cost.source },
          },
        ]
      : []),
    ...tokensOf(view, model),
    ...durationsOf({ view, times }, model),
    ...times.spans
      .filter(({ kind, of }) => kind === "wait" && of === "approval")
      .map((span) => ({
        metric: "spoor.approval.wait" as const,
        value: seconds(lengthOf(span)),
        attributes: { ...agent, "spoor.wait.outcome": span.outcome },
      })),
  ];
}

type Model = Measure["attributes"];

const tokenTypes = { input: "inputTokens", output: "outputTokens" } as const;

/** One value per model call that reported its tokens. What only the whole run reported is one value of the run. */
function* tokensOf({ turns, cost }: RunView, model: Model): Generator<Measure> {
  for (const [type, field] of Object.entries(tokenTypes)) {
    let rest = cost[field];
    for (const turn of turns) {
      const value = turn.usage[field] ?? 0;
      if (value <= 0) continue;
      rest -= value;
      yield tokens(value, type, "chat", { ...model, ...modelOf(turn) });
    }
    if (rest > 0) yield tokens(rest, type, "invoke_agent", model);
  }
}

const tokens = (value: number, type: string, operation: string, model: Model): Measure => ({
  metric: "gen_ai.client.token.usage",
  value,
  attributes: { "gen_ai.operation.name": operation, ...model, "gen_ai.token.type": type },
});

const modelOf = ({ model, provider }: RunView["turns"][number]): Model => ({
  ...(model !== undefined && { "gen_ai.request.model": model }),
  ...(provider !== undefined && { "gen_ai.provider.name": provider }),
});

function* durationsOf({ view, times }: Pick<FoldedRun, "view" | "times">, model: Model): Generator<Measure> {
  const turns = new Map(view.turns.map((turn) => [turn.number, turn]));
  const inTurn = Map.groupBy(
    times.spans.filter(({ kind }) => kind !== "turn" && kind !== "thinking"),
    ({ turn }) => turn,
  );
  for (const span of times.spans) {
    if (span.kind === "turn") {
      const turn = turns.get(span.turn ?? 0);
      yield {
        metric: "gen_ai.client.operation.duration",
        value: seconds(modelTime(span, inTurn.get(span.turn) ?? [])),
        attributes: {
          "gen_ai.operation.name": "chat",
          ...model,
          ...(turn && modelOf(turn)),
          "error.type": errorTypeOf(span.outcome, turn?.error?.code),
        },
      };
    }
    // A call that was refused never ran.
    if (span.kind === "tool" && span.outcome !== "blocked") {
      yield {
        metric: "gen_ai.execute_tool.duration",
        value: seconds(lengthOf(span)),
        attributes: {
          "gen_ai.tool.name": span.label ?? "tool",
          "gen_ai.agent.name": agentOf(view),
          "gen_ai.tool.type": "function",
          "error.type": errorTypeOf(span.outcome),
        },
      };
    }
  }
}

/** The time of a turn in which neither a tool ran nor anybody was waited for. `others` are in the order in which they began. */
function modelTime(turn: RunSpan, others: readonly RunSpan[]): number {
  const end = turn.to ?? turn.from;
  let covered = turn.from;
  let elsewhere = 0;
  for (const { from, to = from } of others) {
    const start = Math.max(from, covered);
    const stop = Math.min(to, end);
    if (stop <= start) continue;
    elsewhere += stop - start;
    covered = stop;
  }
  return Math.max(0, end - turn.from - elsewhere);
}

const lengthOf = ({ from, to = from }: RunSpan): number => Math.max(0, to - from);
const seconds = (ms: number): number => ms / 1_000;
