import type { Hooks } from "../../options/config/hooks.ts";
import type { HookOutcome } from "../policy/hooks.ts";
import type { AskedCall, CallHooks, EndedCall, HookAnswer } from "../recorder/call-hooks.ts";
import type { OwnEvent } from "../recorder/opening.ts";
import { type ReadLines, StoredCalls } from "./stored-calls.ts";

export interface HookPlace {
  hooks: Hooks;
  cwd: string;
  readLines: ReadLines;
}

/** Makes what runs the user's hooks about the calls of a run. Undefined if the user has none. */
export function openHooks({ hooks, cwd, readLines }: HookPlace): CallHooks | undefined {
  const { PreToolUse = [], PostToolUse = [] } = hooks;
  if (PreToolUse.length + PostToolUse.length === 0) return undefined;
  const calls = new StoredCalls(readLines);

  async function before({ run_id, tool_call_id, tool_name }: AskedCall): Promise<HookAnswer> {
    const call = { tool_call_id, tool_name };
    const envelope = await calls.take(run_id, "invoked", tool_call_id).catch(() => undefined);
    if (envelope === undefined) return unstored(call, PreToolUse[0]?.command ?? "");
    const { runHooks } = await import("../policy/hooks.ts");
    const { decision, reason, outcomes } = await runHooks({ hook: "PreToolUse", hooks, envelope, cwd, ...call });
    return { decision, reason, events: outcomes.map(eventOf) };
  }

  async function after({ run_id, tool_call_id }: EndedCall, written: () => Promise<void>): Promise<OwnEvent[]> {
    await written();
    const envelope = await calls.take(run_id, "ended", tool_call_id).catch(() => undefined);
    // A call that a rule blocked has not happened, and beyond the recording limit nothing is stored.
    if (envelope === undefined) return [];
    const { runHooks } = await import("../policy/hooks.ts");
    const { tool_name = "" } = JSON.parse(envelope).data;
    const { outcomes } = await runHooks({ hook: "PostToolUse", hooks, envelope, cwd, tool_name, tool_call_id });
    return outcomes.map(eventOf);
  }

  return {
    before: (call) => (PreToolUse.length > 0 ? before(call) : undefined),
    after: (call, written) => (PostToolUse.length > 0 ? after(call, written) : undefined),
  };
}

const eventOf = (outcome: HookOutcome): OwnEvent => ["policy.hook_completed", { ...outcome }];

/** Hooks get what is stored. Without it they cannot be asked, so a person is. */
function unstored(call: Omit<AskedCall, "run_id">, command: string | readonly string[]): HookAnswer {
  const reason = "The call is not stored, so the hooks could not be asked about it.";
  const outcome: HookOutcome = {
    hook: "PreToolUse",
    command: typeof command === "string" ? command : command.join(" "),
    ...call,
    outcome: "failed",
    decision: "ask",
    reason,
    duration_ms: 0,
  };
  return { decision: "ask", reason, events: [eventOf(outcome)] };
}
