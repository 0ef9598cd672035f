import type { AgentEvent } from "@spoor/protocol";
import { prefixed } from "@spoor/protocol/ids";
import type { OwnEvent } from "./opening.ts";

/** A call that an agent asks about, before it starts. */
export interface AskedCall {
  run_id: string;
  tool_call_id: string;
  tool_name: string;
}

/** What the hooks before a call answered, and the events that tell it. */
export interface HookAnswer {
  decision: "allow" | "deny" | "ask" | undefined;
  reason: string;
  events: OwnEvent[];
}

/** The programs of the user that are asked before calls and told after them. Its methods never reject. */
export interface CallHooks {
  /** Asks the hooks about a call that is stored. Undefined if there is none that decides. */
  before(call: AskedCall): Promise<HookAnswer> | undefined;
  /** Tells the hooks that a call has ended, once `written` says that its end is stored. Undefined if no hook is told. */
  after(call: EndedCall, written: () => Promise<void>): Promise<OwnEvent[]> | undefined;
}

/** A call that has ended. */
export type EndedCall = Pick<AskedCall, "run_id" | "tool_call_id">;

/** The call that an event of an agent ends. */
export function endedCall(event: AgentEvent): EndedCall | undefined {
  if (!isEnd(event)) return undefined;
  return { run_id: prefixed("run", event.runId), tool_call_id: event.toolCallId };
}

const isEnd = (event: AgentEvent): event is Extract<AgentEvent, { type: (typeof ends)[number] }> =>
  (ends as readonly string[]).includes(event.type);

const ends = ["tool_result", "tool_error", "mcp_tool_result", "mcp_tool_error"] as const;
