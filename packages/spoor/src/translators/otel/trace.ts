import {
  createRunFold,
  createSpanFold,
  type Envelope,
  type RunSpan,
  type RunSpans,
  type RunView,
} from "@spoor/protocol";
import { agentOf, describeRun, describeSpan, errorTypeOf } from "./describe.ts";
import {
  type Attributes,
  attributesOf,
  nanos,
  type OtlpResource,
  type OtlpSpan,
  type OtlpTraces,
  spanIdOf,
  spanKinds,
  statusCodes,
  traceIdOf,
} from "./otlp.ts";

/** What a trace and the metrics of a run are made from. */
export interface FoldedRun {
  readonly run_id: string;
  readonly view: RunView;
  readonly times: RunSpans;
}

/** Folds the envelopes of one run, in order. Deltas of texts and pieces of output may be left out. */
export interface OtelFold {
  fold(envelope: Envelope): void;
  /** Undefined before the first envelope. */
  folded(): FoldedRun | undefined;
}

export interface TraceOptions {
  /** Adds prompts, answers, inputs and outputs of tools, and the message of a failed run. */
  readonly content?: boolean;
}

/**
 * One trace per run, by the GenAI conventions of OpenTelemetry: the run is an `invoke_agent` span, a turn a `chat` span, a
 * tool call an `execute_tool` span. Waiting for people is a span of our own. By default no prompt, answer, input or output
 * of a tool, and no error message is in it, because the conventions make content an opt-in. Spans that are open end with
 * the last event.
 */
export function traceOf(envelopes: Iterable<Envelope>, resource: OtlpResource, options?: TraceOptions): OtlpTraces {
  const run = createOtelFold();
  for (const envelope of envelopes) run.fold(envelope);
  const folded = run.folded();
  return tracesOf(folded ? spansOf(folded, options) : [], resource);
}

export const tracesOf = (spans: readonly OtlpSpan[], resource: OtlpResource): OtlpTraces => ({
  resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "spoor" }, spans }] }],
});

export function createOtelFold(): OtelFold {
  const run = createRunFold();
  const time = createSpanFold();
  let run_id: string | undefined;
  return {
    fold(envelope) {
      run_id ??= envelope.run_id;
      run.fold(envelope);
      time.fold(envelope);
    },
    folded: () => (run_id === undefined ? undefined : { run_id, view: run.snapshot(), times: time.snapshot() }),
  };
}

/** The spans of a run: the run itself, then the others in the order in which they began. */
export function spansOf({ run_id, view, times }: FoldedRun, options: TraceOptions = {}): OtlpSpan[] {
  const traceId = traceIdOf(run_id);
  const origin = times.origin ?? 0;
  const end = times.end ?? times.last;
  const root = spanIdOf(run_id, "run");
  const parents = parentsOf(run_id, times.spans, root);
  const describe = describeSpan(run_id, view, options.content === true);
  const span = (fields: Omit<OtlpSpan, "traceId" | "startTimeUnixNano" | "endTimeUnixNano" | "attributes"> & Timed) => {
    const { from, to, attributes, ...rest } = fields;
    const own = { startTimeUnixNano: nanos(origin + from), endTimeUnixNano: nanos(origin + to) };
    return { traceId, ...rest, ...own, attributes: attributesOf(attributes) };
  };
  return [
    span({
      spanId: root,
      name: `invoke_agent ${agentOf(view)}`,
      kind: spanKinds.internal,
      from: 0,
      to: end,
      attributes: describeRun(run_id, view, options.content === true),
      ...linksTo(view.parentRunId, view.priorRunId),
      // What an agent says about its failure can quote anything.
      status: statusOf(view.end?.status, options.content === true ? view.end?.message : undefined),
    }),
    ...times.spans.flatMap((one) => {
      const described = describe(one);
      if (!described) return [];
      return [
        span({
          spanId: idOf(run_id, one),
          parentSpanId: parents(one),
          ...described,
          from: one.from,
          to: one.to ?? end,
          ...linksTo(one.childRunId),
          status: statusOf(one.outcome),
        }),
      ];
    }),
  ];
}

interface Timed {
  from: number;
  to: number;
  attributes: Attributes;
}

const idOf = (run_id: string, { kind, sequence }: RunSpan): string => spanIdOf(run_id, `${kind}-${sequence}`);

/** Links to the spans of other runs. */
function linksTo(...run_ids: readonly (string | undefined)[]): Pick<OtlpSpan, "links"> {
  const known = [...new Set(run_ids)].filter((run_id) => run_id !== undefined);
  if (known.length === 0) return {};
  return { links: known.map((run_id) => ({ traceId: traceIdOf(run_id), spanId: spanIdOf(run_id, "run") })) };
}

/**
 * A wait belongs to the call that waits, a call to its turn, everything else to the run. What begins when its turn is over, such
 * as the pause before another try, belongs to the run, too. A subagent in the background may outlive its turn.
 */
function parentsOf(run_id: string, spans: readonly RunSpan[], root: string): (span: RunSpan) => string {
  const turns = new Map<number, RunSpan>();
  const calls = new Map<string, RunSpan>();
  for (const span of spans) {
    if (span.kind === "turn" && span.turn !== undefined) turns.set(span.turn, span);
    if (span.kind === "tool" && span.tool !== undefined) calls.set(span.tool, span);
  }
  return (span) => {
    const call = span.kind === "wait" && span.tool !== undefined ? calls.get(span.tool) : undefined;
    const turn = span.kind !== "turn" && span.turn !== undefined ? turns.get(span.turn) : undefined;
    const parent = call ?? turn;
    return parent && !isAfter(span, parent) ? idOf(run_id, parent) : root;
  };
}

const isAfter = (span: RunSpan, { to = Number.POSITIVE_INFINITY }: RunSpan): boolean =>
  span.from >= to && (span.to ?? Number.POSITIVE_INFINITY) > to;

/** A span that failed has an error; one that people or rules ended has none, because nothing went wrong. */
const statusOf = (outcome: string | undefined, message?: string): OtlpSpan["status"] =>
  errorTypeOf(outcome) === undefined
    ? { code: statusCodes.unset }
    : { code: statusCodes.error, ...(message && { message }) };
