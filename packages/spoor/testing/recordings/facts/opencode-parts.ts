import { changedLines, type Ending, type Facts, type FileFact } from "./facts.ts";
import type { Value } from "./frames.ts";
import { type ToolFact, ToolList } from "./tool-facts.ts";

/**
 * The facts in parts, each in its last state and in the order in which they began. `ours` excludes the sessions of
 * subagents.
 */
export function factsOfParts(parts: readonly Value[], ours: (part: Value) => boolean): Facts {
  const own = parts.filter(ours);
  const steps = own.filter((part) => part.at("type").is("step-finish"));
  const calls = parts.filter((part) => part.at("type").is("tool"));
  const sum = (...paths: string[][]) =>
    steps.reduce((all, step) => paths.reduce((some, path) => some + (step.at(...path).number ?? 0), all), 0);
  const tokens = {
    input: sum(["tokens", "input"], ["tokens", "cache", "read"], ["tokens", "cache", "write"]),
    output: sum(["tokens", "output"], ["tokens", "reasoning"]),
  };
  const texts = own
    .filter((part) => part.at("type").is("text") && part.at("synthetic").raw !== true)
    .map((part) => part.at("text").text ?? "");
  return {
    said: texts.join(""),
    finalText: texts.at(-1) ?? "",
    tools: toolsOf(calls),
    files: calls.flatMap(filesOf),
    subagents: calls.filter((call) => call.at("tool").is("task") && call.at("state", "metadata", "sessionId").exists)
      .length,
    tokens,
    costUsd: sum(["cost"]),
  };
}

function toolsOf(calls: readonly Value[]): ToolFact[] {
  const tools = new ToolList();
  for (const call of calls) {
    const state = call.at("state");
    const status = state.at("status");
    // A call of an unknown tool is reported as a completed call of this tool.
    const isInvalid = call.at("tool").is("invalid");
    const name = (isInvalid ? state.at("input", "tool") : call.at("tool")).text ?? "";
    const exitCode = state.at("metadata", "exit").number;
    const result = resultOf(state, isInvalid)?.trim();
    tools.tell({
      id: call.at("callID").text ?? "",
      name: name.replace(SERVER, "$1/"),
      input: state.at("input").raw,
      ...(status.is("completed", "error") && { failed: status.is("error") || isInvalid }),
      ...(result !== undefined && { result }),
      ...(exitCode !== undefined && { exitCode }),
    });
  }
  return tools.all;
}

/** Nothing marks MCP tools; the recordings contain only this server. */
const SERVER = /^(fixture)_/;

/** A result with attachments is more than text. */
function resultOf(state: Value, isInvalid: boolean): string | undefined {
  if (isInvalid) return state.at("input", "error").text;
  if (state.at("status").is("error")) return state.at("error").text;
  return state.at("attachments").exists ? undefined : state.at("output").text;
}

function filesOf(call: Value): FileFact[] {
  const state = call.at("state");
  const path = state.at("input", "filePath").text;
  if (!state.at("status").is("completed") || path === undefined) return [];
  if (call.at("tool").is("read")) return [{ op: "read", path }];
  if (call.at("tool").is("write")) {
    return [{ op: state.at("metadata", "exists").raw === false ? "create" : "write", path }];
  }
  if (!call.at("tool").is("edit")) return [];
  return [{ op: "patch", path, lines: changedLines(state.at("metadata", "diff").text ?? "") }];
}

export function endingOfError(error: Value): Ending {
  if (error.at("name").is("MessageAbortedError")) return "interrupted";
  if (error.at("name").is("ContextOverflowError")) return "context";
  const status = error.at("data", "statusCode").number;
  if (status === 401) return "auth";
  return status === 429 ? "rate_limit" : "error";
}
