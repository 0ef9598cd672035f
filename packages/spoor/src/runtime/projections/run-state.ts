import type { RunFacts } from "../../log/records.ts";
import type { Data, Memory } from "./fact-memory.ts";

type State = Exclude<NonNullable<RunFacts["state"]>, "blocked">;

/** The state that an event leads to. */
export interface Lead {
  to(memory: Memory, data: Data): State | undefined;
  /** Whether the data decides. */
  reads?: true;
  /** Whether the event ends the run. */
  isEnd?: true;
}

/** Undefined for types that do not change the state, and for deltas, which follow an event that does. */
export function leadOf(type: string): Lead | undefined {
  const own = leads[type];
  if (own) return own;
  const isWork = /^(turn|assistant|tool)\./.test(type) && !/\.(applied|reverted)$/.test(type);
  return isWork && !/(_delta|\.output_chunk)$/.test(type) ? working : undefined;
}

const to = (state: State): Lead => ({ to: () => state });
const working = to("working");

const leads: Readonly<Record<string, Lead>> = {
  "run.created": to("idle"),
  "run.queued": to("idle"),
  "run.started": working,
  "run.unpaused": working,
  "run.finished": { ...to("done"), isEnd: true },
  "run.cancelled": { ...to("done"), isEnd: true },
  "run.failed": { ...to("error"), isEnd: true },
  "run.timed_out": to("error"),
  "session.ended": to("done"),
  "turn.completed": { to: (memory, data) => (continues(memory, data) ? "working" : "done"), reads: true },
  "turn.failed": { to: (_, data) => (data.will_retry === true ? "working" : "error"), reads: true },
  "turn.limit_reached": to("error"),
  "error.auth": to("error"),
  "error.context_exceeded": to("error"),
  "error.crash": to("error"),
  "error.reported": { to: (_, data) => (data.recoverable === true ? undefined : "error"), reads: true },
};

/** Whether the run goes on after this turn, because its tools ran or because it is retried. */
function continues({ isRetried, calls }: Memory, { tool_calls, stop_reason }: Data): boolean {
  const reason = typeof stop_reason === "string" ? stop_reason.toLowerCase().replaceAll(/[^a-z]/g, "") : "";
  return (typeof tool_calls === "number" && tool_calls > 0) || calls > 0 || isRetried || continueReasons.has(reason);
}

/** `tool_use`, `tool_calls`, `toolUse`, …: providers spell the reason differently. */
const continueReasons: ReadonlySet<string> = new Set(["tooluse", "toolcall", "toolcalls", "functioncall", "pauseturn"]);
