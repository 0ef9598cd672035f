import { Count, Flag, Key, oneOf, optional, Text, Type } from "../schema.ts";
import { dotted } from "./define.ts";
import { commandAttributes, exitAttributes, sandboxAttributes } from "./tool-attributes.ts";

const tool_call_id = optional(Key("The call that runs the command; absent when the agent does not report it."));

export const shellDefinitions = [
  dotted("tool.shell.command", "core", "A command was started.", {
    tool_call_id,
    cwd: Text("Working directory."),
    command_string: optional(Text("The command, for people.")),
    argv: optional(Type.Array(Type.String(), { description: "The arguments, if Spoor runs the command." })),
    env_keys: optional(Type.Array(Type.String(), { description: "Names of environment variables, never values." })),
    sandbox_layer: optional(Key("`bwrap`, `sandbox-exec`, `none`.")),
    timeout_ms: optional(Count("Time limit.")),
    ...commandAttributes,
    ...sandboxAttributes,
  }),
  dotted("tool.shell.output_chunk", "core", "The command wrote output.", {
    tool_call_id,
    stream: oneOf(["stdout", "stderr"], "Which stream."),
    data: Text("The text. It never ends inside a character."),
    byte_offset: Count("Number of UTF-8 bytes of that stream before this piece."),
  }),
  dotted("tool.shell.exited", "core", "The command ended.", {
    tool_call_id,
    exit_code: Type.Integer({ description: "-1 when there was no normal exit or the code is unknown." }),
    signal: optional(Type.Union([Type.String(), Type.Null()], { description: "The signal that ended it." })),
    stdout_bytes: Count("Number of UTF-8 bytes of standard output."),
    stderr_bytes: Count("Number of UTF-8 bytes of standard error."),
    truncated: Flag("Whether a limit truncated the output."),
    duration_ms: optional(Count("Wall-clock time.")),
    ...exitAttributes,
  }),
] as const;
