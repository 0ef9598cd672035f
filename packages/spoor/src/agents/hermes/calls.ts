import type { ToolKind } from "@spoor/protocol";
import { unifiedDiff } from "../diff.ts";
import { byteCount } from "../files.ts";
import { given } from "../given.ts";
import { asCount, asNumber, asObject, asText, type Json, parseObject } from "../json-machine.ts";
import type { FileFact, Signal, ToolEnd } from "../signal.ts";
import { commandIn, type ToolCall } from "../tool.ts";

interface Call extends ToolCall {
  input: Json;
}

/** Tool calls. Older versions give them no id: a result is of the first call of its name that waits for one. */
export class Calls {
  #open: Call[] = [];
  #count = 0;

  start({ name: told, tool_call_id, input }: Json): Signal[] {
    const name = asText(told) || "unknown";
    const id = asText(tool_call_id) || `${name}-${++this.#count}`;
    const call: Call = { id, name, toolKind: kinds.get(name) ?? "other", input: asObject(input) ?? {} };
    this.#open.push(call);
    const ready: Signal = { kind: "toolReady", ...call };
    const command = commandIn(call);
    if (command !== undefined) return [ready, { kind: "shell", id, command }];
    if (call.toolKind !== "subagent") return [ready];
    return [ready, { kind: "spawn", id, name, prompt: asText(call.input.goal) ?? JSON.stringify(call.input) }];
  }

  end(frame: Json): Signal[] {
    const id = asText(frame.tool_call_id);
    const found = this.#open.find((one) => (id ? one.id === id : one.name === frame.name));
    const begun = found ? [] : this.start(frame);
    const call = found ?? (this.#open.at(-1) as Call);
    this.#open = this.#open.filter((one) => one !== call);
    return [...begun, ...ended(call, asText(frame.output) ?? "", frame)];
  }
}

const kinds = new Map<string, ToolKind>([
  ["delegate_task", "subagent"],
  ["execute_code", "other"],
  ["patch", "edit"],
  ["process", "other"],
  ["read_file", "file_read"],
  ["search_files", "grep"],
  ["terminal", "shell"],
  ["todo", "todo_write"],
  ["web_extract", "web_fetch"],
  ["web_search", "web_search"],
  ["write_file", "file_write"],
]);

function ended(call: Call, output: string, frame: Json): Signal[] {
  const { id, name } = call;
  const durationMs = asCount(frame.duration_ms);
  // Cut at five thousand characters, it may be no JSON any more.
  const report = parseObject(output) ?? {};
  const end: ToolEnd = { kind: "toolEnd", id, name, output, ...given({ durationMs }) };
  const isError = frame.is_error === true;
  const error = asText(report.error) || output;
  const told: Signal[] = [];
  if (call.toolKind === "shell") {
    const exitCode = asNumber(report.exit_code);
    if (exitCode !== undefined) end.exitCode = Math.trunc(exitCode);
    told.push({ kind: "output", id, stream: "stdout", text: asText(report.output) ?? (isError ? "" : output) });
  }
  if (call.toolKind === "subagent") told.push({ kind: "spawnEnd", id, ...(isError ? { error } : { summary: output }) });
  if (isError) return [...told, { ...end, error, outcome: "failed" }];
  const files = filesOf(call);
  return [...told, { ...end, ...(files.length > 0 && { files }) }];
}

function filesOf({ toolKind, input }: Call): FileFact[] {
  const path = asText(input.path);
  if (!path) return [];
  if (toolKind === "file_read") return [{ op: "read", path }];
  if (toolKind === "file_write") return [{ op: "write", path, byteCount: byteCount(input.content) }];
  const [before, after] = [asText(input.old_string), asText(input.new_string)];
  if (toolKind !== "edit" || before === undefined || after === undefined) return [];
  return [{ op: "patch", path, diff: unifiedDiff(path, `${before}\n`, `${after}\n`) }];
}
