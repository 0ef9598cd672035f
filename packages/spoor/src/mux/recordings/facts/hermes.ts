import { readAcp } from "./acp.ts";
import type { Facts } from "./facts.ts";
import type { RecordedFrame } from "./frames.ts";
import { type ToolFact, wordsOf } from "./tool-facts.ts";

/** Hermes prints a call, its result, and at the end how it all went. */
export function readHermes(frames: readonly RecordedFrame[]): Facts {
  const of = (type: string) => frames.map(({ frame }) => frame).filter((frame) => frame.at("type").is(type));
  const result = of("result").at(-1);
  const texts = of("text").map((frame) => frame.at("text").text ?? "");
  const tokens = (name: string) => result?.at("tokens", name).number ?? 0;
  const code = result?.at("exit_code").number;
  return {
    said: texts.length > 0 ? texts.join("") : (result?.at("text").text ?? ""),
    // Without an id, a result is of a call that cannot be told from others.
    ...(of("tool_use").every((call) => call.at("tool_call_id").exists) && {
      tools: toolsOf(of("tool_use"), of("tool_result")),
    }),
    subagents: of("tool_use").filter((call) => call.at("name").is("delegate_task")).length,
    ...(code !== undefined && { endings: [code === 0 ? "completed" : code === 130 ? "interrupted" : "auth"] }),
    tokens: { input: tokens("input") + tokens("cache_read") + tokens("cache_write"), output: tokens("output") },
  };
}

/** Over ACP it asks about calls it makes up. */
export function readHermesAcp(frames: readonly RecordedFrame[]): Facts {
  const { tools = [], approvals = [], ...facts } = readAcp(frames);
  return {
    ...facts,
    tools: tools.filter(({ id }) => !id.startsWith("perm-check-")),
    approvals: approvals.map(({ tool: _, ...approval }) => approval),
  };
}

type Frames = readonly RecordedFrame["frame"][];

function toolsOf(calls: Frames, results: Frames): ToolFact[] {
  return calls.map((call) => {
    const id = call.at("tool_call_id").text ?? "";
    const told = results.find((result) => result.at("tool_call_id").is(id));
    const exit = /"exit_code": (\d+)/.exec(told?.at("output").text ?? "")?.[1];
    return {
      id,
      name: call.at("name").text ?? "",
      input: call.at("input").raw,
      ...(told && { failed: told.at("is_error").raw === true }),
      ...(told?.at("is_error").raw === false && { result: wordsOf(told.at("output").raw) ?? "" }),
      ...(exit !== undefined && { exitCode: Number(exit) }),
    };
  });
}
