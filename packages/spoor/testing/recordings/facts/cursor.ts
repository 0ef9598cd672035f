import type { Facts, FileFact } from "./facts.ts";
import { type RecordedFrame, Value } from "./frames.ts";
import { ToolList, wordsOf } from "./tool-facts.ts";

/** Cursor names a call by a field and its outcome by another. The result contains all text and the usage. */
export function readCursor(frames: readonly RecordedFrame[]): Facts {
  const out = frames.map(({ frame }) => frame);
  const calls = out.filter((frame) => frame.at("type").is("tool_call")).map(callOf);
  const result = out.find((frame) => frame.at("type").is("result"));
  const tools = new ToolList();
  for (const { id, name, input, ending } of calls) {
    tools.tell({ id, name, input, ...(ending && { failed: ending.kind !== "success", ...exitOf(ending.told) }) });
    const words = ending?.kind === "success" ? wordsOf(ending.told.at("stdout").raw) : undefined;
    if (words !== undefined) tools.tell({ id, result: words });
  }
  const usage = (...names: string[]) => names.reduce((sum, name) => sum + (result?.at("usage", name).number ?? 0), 0);
  return {
    ...(result && { said: result.at("result").text ?? "" }),
    tools: tools.all,
    files: calls.flatMap(filesOf),
    // Cursor does not ask; it refuses.
    approvals: calls.filter(({ ending }) => REFUSED.test(ending?.kind ?? "")).map(() => ({ granted: false })),
    subagents: calls.filter(({ name, ending }) => name === "task" && ending).length,
    ...(result && { endings: [result.at("is_error").raw === true ? "error" : "completed"] }),
    tokens: { input: usage("inputTokens", "cacheReadTokens", "cacheWriteTokens"), output: usage("outputTokens") },
  };
}

const REFUSED = /^rejected$|permissionDenied$/i;

interface Call {
  id: string;
  name: string;
  input: unknown;
  ending?: { kind: string; told: Value };
}

function callOf(frame: Value): Call {
  const [key = "", raw] = Object.entries(frame.at("tool_call").raw as object)[0] ?? [];
  const call = new Value(raw);
  const [kind, told] = Object.entries((call.at("result").raw ?? {}) as object)[0] ?? [];
  const id = frame.at("call_id").text ?? "";
  const ending = kind === undefined ? {} : { ending: { kind, told: new Value(told) } };
  if (key !== "mcpToolCall") return { id, name: key.replace("ToolCall", ""), input: call.at("args").raw, ...ending };
  const name = `${call.at("args", "providerIdentifier").text}/${call.at("args", "toolName").text}`;
  return { id, name, input: call.at("args", "args").raw, ...ending };
}

const exitOf = (told: Value): { exitCode?: number } => {
  const code = told.at("exitCode").number;
  return code === undefined ? {} : { exitCode: code };
};

function filesOf({ name, input, ending }: Call): FileFact[] {
  const path = new Value(input).at("path").text;
  if (ending?.kind !== "success" || path === undefined) return [];
  if (name === "read") return [{ op: "read", path }];
  const lines = ending.told.at("diffString").text?.split("\n");
  return name === "edit" && lines ? [{ op: "patch", path, lines: lines.filter((line) => /^[+-]/.test(line)) }] : [];
}
