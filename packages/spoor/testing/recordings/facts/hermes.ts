import { readAcp } from "./acp.ts";
import type { Facts, FileFact } from "./facts.ts";
import { type RecordedFrame, Value } from "./frames.ts";
import { lineDiff } from "./line-diff.ts";
import { NO_ID, type ToolFact, wordsOf } from "./tool-facts.ts";

/** Hermes prints calls, their results, and a final result. */
export function readHermes(frames: readonly RecordedFrame[]): Facts {
  const of = (type: string) => frames.map(({ frame }) => frame).filter((frame) => frame.at("type").is(type));
  const result = of("result").at(-1);
  const texts = of("text").map((frame) => frame.at("text").text ?? "");
  const tokens = (name: string) => result?.at("tokens", name).number ?? 0;
  const code = result?.at("exit_code").number;
  const tools = toolsOf(of("tool_use"), of("tool_result"));
  return {
    said: texts.length > 0 ? texts.join("") : (result?.at("text").text ?? ""),
    tools,
    files: tools.flatMap(fileOf),
    subagents: of("tool_use").filter((call) => call.at("name").is("delegate_task")).length,
    ...(code !== undefined && { endings: [code === 0 ? "completed" : code === 130 ? "interrupted" : "auth"] }),
    tokens: { input: tokens("input") + tokens("cache_read") + tokens("cache_write"), output: tokens("output") },
  };
}

/** Over ACP it asks about calls that it invents. */
export function readHermesAcp(frames: readonly RecordedFrame[]): Facts {
  const { tools = [], approvals = [], ...facts } = readAcp(frames);
  return {
    ...facts,
    tools: tools.filter(({ id }) => !id.startsWith("perm-check-")),
    approvals: approvals.map(({ tool: _, ...approval }) => approval),
  };
}

/** Without ids, results belong to the calls of the same name, in order. */
function toolsOf(calls: readonly Value[], results: readonly Value[]): ToolFact[] {
  return calls.map((call, index) => {
    const name = call.at("name").text ?? "";
    const ofName = (frames: readonly Value[]) => frames.filter((frame) => frame.at("name").is(name));
    const id = call.at("tool_call_id").text ?? `${NO_ID}${index}`;
    const told = call.at("tool_call_id").exists
      ? results.find((result) => result.at("tool_call_id").is(id))
      : ofName(results)[ofName(calls).indexOf(call)];
    const exit = /"exit_code": (\d+)/.exec(told?.at("output").text ?? "")?.[1];
    return {
      id,
      name,
      input: call.at("input").raw,
      ...(told && { failed: told.at("is_error").raw === true }),
      ...(told?.at("is_error").raw === false && { result: wordsOf(told.at("output").raw) ?? "" }),
      ...(exit !== undefined && { exitCode: Number(exit) }),
    };
  });
}

function fileOf({ name, input, failed }: ToolFact): FileFact[] {
  const told = new Value(input);
  const path = told.at("path").text;
  if (failed !== false || path === undefined) return [];
  if (name === "read_file") return [{ op: "read", path }];
  if (name === "write_file") return [{ op: "write", path }];
  if (name !== "patch") return [];
  return [{ op: "patch", path, lines: lineDiff(told.at("old_string").text ?? "", told.at("new_string").text ?? "") }];
}
