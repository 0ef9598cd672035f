import { Count, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

/** Questions, limits, debug messages and events added by callers. */
export const flowDefinitions = [
  dotted("input.requested", "additive", "The agent asks and waits for an answer.", {
    interaction_id: Key("An answer names this id."),
    question: Text("The question."),
    context: optional(Text("What the agent is trying to do.")),
    source: oneOf(["agent", "tool"], "Who asks."),
  }),
  dotted("limit.rate_limited", "additive", "The model's service asks to slow down.", {
    retry_after_ms: optional(Count("How long the service asks to wait.")),
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
  dotted("limit.retry_scheduled", "additive", "A failed model call will be retried.", {
    attempt: Type.Integer({ minimum: 1, description: "Which retry this is, from 1." }),
    max_attempts: Count("The maximum number of retries; 0 when unknown."),
    reason: Text("Why the call failed."),
    delay_ms: Count("How long the agent waits before the retry; 0 when unknown."),
  }),
  dotted("debug.message", "additive", "A message from the adapter, or a native frame that it does not map.", {
    level: oneOf(["verbose", "info", "warn"], "The log level."),
    message: Text("The message or the frame."),
  }),
  dotted("debug.log", "additive", "A line of the agent's output that is not a frame.", {
    stream: oneOf(["stdout", "stderr"], "Which stream."),
    line: Text("The line."),
  }),
  dotted("task.updated", "core", "The task's own record changed.", {
    status: optional(Key("The task's status now.")),
  }),
  dotted("external.event", "core", "An event that a caller added to the run.", {
    step_id: optional(Text("The step it belongs to.")),
    status: optional(Text("A status hint.")),
    note: optional(Text("A note.")),
  }),
] as const;
