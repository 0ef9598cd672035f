import { Count, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

/** Questions, limits, notes and callers' own events: what surrounds the work itself. */
export const flowDefinitions = [
  dotted("input.requested", "additive", "The agent asks and waits for an answer.", {
    interaction_id: Key("What an answer is addressed to."),
    question: Text("What it asks."),
    context: optional(Text("What it is trying to do.")),
    source: oneOf(["agent", "tool"], "Who asks."),
  }),
  dotted("limit.rate_limited", "additive", "The model's service asks to slow down.", {
    retry_after_ms: optional(Count("How long it asks to wait.")),
  }),
  dotted("limit.context_warning", "additive", "The context window is filling up.", {
    used_tokens: Count("Tokens in use; 0 when unknown."),
    max_tokens: Count("Size of the window; 0 when unknown."),
    pct_used: Type.Number({ minimum: 0, maximum: 100, description: "Share in use, in percent." }),
  }),
  dotted("limit.context_compacted", "additive", "The agent shortened its context.", {
    summary: Text("What was kept or removed."),
    tokens_saved: Count("Tokens freed; 0 when unknown."),
  }),
  dotted("limit.retry_scheduled", "additive", "A failed model call is about to be tried again.", {
    attempt: Type.Integer({ minimum: 1, description: "Which retry this is, from 1." }),
    max_attempts: Count("How many there may be; 0 when unknown."),
    reason: Text("Why the call failed."),
    delay_ms: Count("How long it waits first; 0 when unknown."),
  }),
  dotted("debug.message", "additive", "A word from the adapter, or a native frame it does not map.", {
    level: oneOf(["verbose", "info", "warn"], "How much it matters."),
    message: Text("The word, or the frame."),
  }),
  dotted("debug.log", "additive", "A line of the agent's output that is no frame.", {
    stream: oneOf(["stdout", "stderr"], "Which stream."),
    line: Text("The line."),
  }),
  dotted("task.updated", "core", "The task's own record changed.", {}),
  dotted("external.event", "core", "Something a caller put on record.", {
    step_id: optional(Text("The step it belongs to.")),
    status: optional(Text("A status hint.")),
    note: optional(Text("A note.")),
  }),
] as const;
