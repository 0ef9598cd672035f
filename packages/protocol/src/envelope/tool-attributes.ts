import { Count, Flag, optional, Text, Type } from "../schema.ts";

/** `hecate.*` attribute keys of the events reference: optional everywhere, written by our own shell and file tools. */

const Whole = (description: string) => Type.Integer({ description });

export const sandboxAttributes = {
  "hecate.sandbox.wrapper.kind": optional(Text("The sandbox in use.")),
  "hecate.sandbox.network.enabled": optional(Flag("Whether the network was reachable.")),
  "hecate.sandbox.read_only": optional(Flag("Whether the sandbox was read-only.")),
  "hecate.sandbox.output_limit.bytes": optional(Count("The output limit in bytes.")),
};

export const commandAttributes = {
  "hecate.tool.working_directory": optional(Text("Same as `cwd`.")),
  "hecate.tool.timeout_ms": optional(Count("Same as `timeout_ms`.")),
};

export const exitAttributes = {
  "hecate.tool.exit_code": optional(Whole("Same as `exit_code`.")),
  "hecate.tool.stdout.bytes": optional(Count("Same as `stdout_bytes`.")),
  "hecate.tool.stderr.bytes": optional(Count("Same as `stderr_bytes`.")),
  "hecate.tool.timed_out": optional(Flag("Whether the command reached its time limit.")),
  "hecate.tool.cancelled": optional(Flag("Whether the command was cancelled.")),
  "hecate.tool.output_truncated": optional(Flag("Whether the command reached its output limit.")),
};

export const fileAttributes = {
  "hecate.tool.file.operation": optional(Text("Same as `operation`.")),
  "hecate.tool.file.bytes_written": optional(Count("Same as `bytes_written`.")),
  "hecate.tool.file.diff_bytes": optional(Count("Same as `diff_bytes`.")),
  "hecate.tool.file.before_existed": optional(Flag("Same as `before_existed`.")),
  "hecate.tool.file.artifact_status": optional(Text("Same as `artifact_status`.")),
};
