/** What a span of time was spent on. */
export type SpanKind = "turn" | "thinking" | "tool" | "subagent" | "wait" | "retry";

/** How a span ended. `cancelled` also when the run ended first. */
export type SpanOutcome = "completed" | "failed" | "cancelled" | "timed_out" | "blocked" | "approved" | "rejected";

/** Something that took time. Times are milliseconds since `run.created`. */
export interface RunSpan {
  readonly kind: SpanKind;
  readonly from: number;
  /** Absent while the span is open. A point has `to` equal to `from`. */
  readonly to?: number;
  /** The event with which it began. */
  readonly sequence: number;
  /** The event with which it ended. */
  readonly lastSequence?: number;
  /** The turn, from 1; absent before the first. */
  readonly turn?: number;
  /** The id of the tool call, or of the call that waits. */
  readonly tool?: string;
  /** What a tool does (`shell`, `edit`, …), or what a wait is for. */
  readonly of?: string;
  /** A name for people: the tool, the subagent, the model. */
  readonly label?: string;
  /** One line that says more: the command, the file, the question, why a call is retried. */
  readonly detail?: string;
  readonly outcome?: SpanOutcome;
  /** Who answered an approval. */
  readonly by?: string;
  /** The run that records a subagent. */
  readonly childRunId?: string;
  /** A turn that ended with the final answer. */
  readonly final?: true;
}

/** The cost of the run so far, at one moment. */
export interface CostPoint {
  readonly at: number;
  readonly micros: number;
  /** `billed`, `agent_reported` or `estimated`; absent when the event does not say. */
  readonly source?: string;
  readonly sequence: number;
}

/** The spans of a run so far. It never changes after it was returned. */
export interface RunSpans {
  /** In the order in which they began, by sequence. */
  readonly spans: readonly RunSpan[];
  readonly costs: readonly CostPoint[];
  /** The moment 0, in milliseconds since 1970: `run.created`, or the first event seen if that one was pruned. */
  readonly origin?: number;
  /** When the run ended; absent while it goes on. */
  readonly end?: number;
  /** The time of the last event. */
  readonly last: number;
  readonly lastSequence: number;
}
