import { Count, Flag, Key, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const message = Text("What went wrong, for people.");

export const errorDefinitions = [
  dotted("error.tool_unavailable", "core", "A tool cannot be offered.", {
    tool_name: Key("The tool."),
    reason: Text("Why."),
  }),
  dotted("error.model_capability_missing", "core", "The model cannot do what is needed.", {
    model: Text("The model."),
    missing_capability: Text("What it lacks."),
    fallback_strategy: optional(Text("What is done instead.")),
  }),
  dotted("error.upstream", "core", "The model's service failed.", {
    provider: Text("Who."),
    message,
    status: optional(Type.Integer({ description: "HTTP status." })),
    retriable: Flag("Whether trying again can help."),
    attempt: optional(Count("Which try this was.")),
    max_attempts: optional(Count("How many there may be.")),
  }),
  dotted("error.auth", "additive", "The agent is not allowed in. The cause; the terminal event follows.", {
    message,
    guidance: Text("What to do about it."),
  }),
  dotted("error.rate_limit", "additive", "The model's service refused a call for its rate.", {
    message,
    retry_after_ms: optional(Count("How long it asks to wait.")),
  }),
  dotted("error.context_exceeded", "additive", "The context is full. The cause; the terminal event follows.", {
    used_tokens: Count("Tokens asked for; 0 when unknown."),
    max_tokens: Count("Size of the window; 0 when unknown."),
  }),
  dotted("error.crash", "additive", "The agent's process died. The cause; the terminal event follows.", {
    exit_code: Type.Integer({ description: "-1 when a signal ended it or it never started." }),
    stderr: Text("What it last wrote to standard error."),
  }),
  dotted("error.reported", "additive", "Something failed; the run may go on when it is recoverable.", {
    code: Key("Stable code."),
    message,
    recoverable: Flag("Whether the run can go on."),
  }),
] as const;
