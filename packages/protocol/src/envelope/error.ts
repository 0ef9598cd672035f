import { Count, Flag, Key, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";

const message = Text("What went wrong, for people.");

export const errorDefinitions = [
  dotted("error.tool_unavailable", "core", "A tool is not available.", {
    tool_name: Key("The tool."),
    reason: Text("The reason."),
  }),
  dotted("error.model_capability_missing", "core", "The model lacks a needed capability.", {
    model: Text("The model."),
    missing_capability: Text("The missing capability."),
    fallback_strategy: optional(Text("What is done instead.")),
  }),
  dotted("error.upstream", "core", "The model's service failed.", {
    provider: Text("The provider."),
    message,
    status: optional(Type.Integer({ description: "HTTP status." })),
    retriable: Flag("Whether a retry can help."),
    attempt: optional(Count("The number of this attempt.")),
    max_attempts: optional(Count("The maximum number of attempts.")),
  }),
  dotted("error.auth", "additive", "The agent could not authenticate. This is the cause; the terminal event follows.", {
    message,
    guidance: Text("What to do about it."),
  }),
  dotted("error.rate_limit", "additive", "The model's service rejected a call because of its rate limit.", {
    message,
    retry_after_ms: optional(Count("How long the service asks to wait.")),
  }),
  dotted(
    "error.context_exceeded",
    "additive",
    "The context window is full. This is the cause; the terminal event follows.",
    {
      used_tokens: Count("Tokens requested; 0 when unknown."),
      max_tokens: Count("Size of the window; 0 when unknown."),
    },
  ),
  dotted("error.crash", "additive", "The agent's process died. This is the cause; the terminal event follows.", {
    exit_code: Type.Integer({ description: "-1 when a signal ended the process or when it never started." }),
    stderr: Text("The end of its standard error."),
  }),
  dotted("error.reported", "additive", "An error occurred. The run can continue if the error is recoverable.", {
    code: Key("Stable code."),
    message,
    recoverable: Flag("Whether the run can continue."),
  }),
] as const;
