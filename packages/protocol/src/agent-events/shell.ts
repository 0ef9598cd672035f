import { Count, Key, optional, type Static, Text, Type } from "../schema.ts";
import { agentEvent } from "./base.ts";

const toolCallId = optional(Key("The tool call that runs the command."));

export const ShellStartEvent = agentEvent("shell_start", "A command begins to run.", {
  command: Text("The command as the agent runs it."),
  cwd: Text("Its working directory."),
  toolCallId,
});
export type ShellStartEvent = Static<typeof ShellStartEvent>;

export const ShellStdoutDeltaEvent = agentEvent("shell_stdout_delta", "The command wrote to standard output.", {
  delta: Text("The new piece of output."),
  toolCallId,
});
export type ShellStdoutDeltaEvent = Static<typeof ShellStdoutDeltaEvent>;

export const ShellStderrDeltaEvent = agentEvent("shell_stderr_delta", "The command wrote to standard error.", {
  delta: Text("The new piece of output."),
  toolCallId,
});
export type ShellStderrDeltaEvent = Static<typeof ShellStderrDeltaEvent>;

export const ShellExitEvent = agentEvent("shell_exit", "The command ended.", {
  exitCode: Type.Integer({ description: "0 for success; -1 when a signal ended it or the code is unknown." }),
  durationMs: Count("Wall-clock time the command took."),
  toolCallId,
});
export type ShellExitEvent = Static<typeof ShellExitEvent>;
