import { diffsOfFragment } from "../kit/diff.ts";
import { fileFactsOfCall } from "../kit/file-facts.ts";
import { asCount, asNumber, asObject, asText, type Json, parseObject } from "../kit/json-values.ts";
import { omitUndefined } from "../kit/omit-undefined.ts";
import { readySignals, spawnEndSignal, type ToolCall, toolByName, toolKindsByName } from "../kit/tool-calls.ts";
import type { FileFact, Signal, ToolEnd } from "../signal.ts";

interface Call extends ToolCall {
  input: Json;
}

/** Reads tool calls. Older versions send no ids: a result belongs to the first open call of the same name. */
export class Calls {
  #open: Call[] = [];
  #count = 0;

  start({ name: reported, tool_call_id, input }: Json): Signal[] {
    const name = asText(reported) || "unknown";
    const id = asText(tool_call_id) || `${name}-${++this.#count}`;
    const call: Call = { id, ...toolByName(name, kinds), input: asObject(input) ?? {} };
    this.#open.push(call);
    if (call.toolKind !== "subagent") return readySignals(call);
    const prompt = asText(call.input.goal) ?? JSON.stringify(call.input);
    return [...readySignals(call), { kind: "spawn", id, name, prompt }];
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

const kinds = toolKindsByName({
  edit: ["patch"],
  file_read: ["read_file"],
  file_write: ["write_file"],
  grep: ["search_files"],
  shell: ["terminal"],
  subagent: ["delegate_task"],
  todo_write: ["todo"],
  web_fetch: ["web_extract"],
  web_search: ["web_search"],
});

function ended(call: Call, output: string, frame: Json): Signal[] {
  const { id, name } = call;
  const durationMs = asCount(frame.duration_ms);
  // The output is cut at 5,000 characters, so it may not be valid JSON.
  const report = parseObject(output) ?? {};
  const end: ToolEnd = { kind: "toolEnd", id, name, output, ...omitUndefined({ durationMs }) };
  const isError = frame.is_error === true;
  const error = asText(report.error) || output;
  const reported: Signal[] = [];
  if (call.toolKind === "shell") {
    const exitCode = asNumber(report.exit_code);
    if (exitCode !== undefined) end.exitCode = Math.trunc(exitCode);
    reported.push({ kind: "output", id, stream: "stdout", text: asText(report.output) ?? (isError ? "" : output) });
  }
  if (call.toolKind === "subagent") reported.push(spawnEndSignal(id, output, isError ? error : undefined));
  if (isError) return [...reported, { ...end, error, outcome: "failed" }];
  return [...reported, { ...end, files: filesOf(call) }];
}

function filesOf({ toolKind, input }: Call): FileFact[] {
  const { path, content, old_string: before, new_string: after } = input;
  return fileFactsOfCall(toolKind, asText(path), { content, diffs: (named) => diffsOfFragment(named, before, after) });
}
