import { type Ending, type Facts, type FileFact, versionOf } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { ToolList, wordsOf } from "./tool-facts.ts";

/** zot reports each call in full before it runs it, adds up the cost, and ends each turn with a reason. */
export function readZot(frames: readonly RecordedFrame[]): Facts {
  const out = frames.filter(({ dir }) => dir === "out").map(({ frame }) => frame);
  const of = (...types: string[]) => out.filter((frame) => frame.at("type").is(...types));
  const tools = new ToolList();
  for (const call of of("tool_call")) {
    tools.tell({ id: call.at("id").text ?? "", name: call.at("name").text ?? "", input: call.at("args").raw });
  }
  for (const result of of("tool_result")) {
    const words = wordsOf(result.at("content").raw) ?? "";
    const exit = /\[exit (\d+)\]$/.exec(words)?.[1];
    const told = { failed: result.at("is_error").raw === true, result: words };
    tools.tell({ id: result.at("id").text ?? "", ...told, ...(exit && { exitCode: Number(exit) }) });
  }
  const total = of("usage").at(-1)?.at("cumulative");
  const sum = (...names: string[]) => names.reduce((all, name) => all + (total?.at(name).number ?? 0), 0);
  return {
    ...versionOf(of("response").map((frame) => frame.at("data", "version"))),
    said: of("text_delta")
      .map((frame) => frame.at("delta").text ?? "")
      .join(""),
    tools: tools.all,
    files: of("tool_result").flatMap((result) => filesOf(result, tools)),
    endings: [endingOf(of("turn_end").at(-1))],
    ...(total && { tokens: { input: sum("input", "cache_read", "cache_write"), output: sum("output") } }),
    ...(total && { costUsd: sum("cost_usd") }),
  };
}

function filesOf(result: Value, tools: ToolList): FileFact[] {
  const call = tools.get(result.at("id").text ?? "");
  const path = (call?.input as { path?: string } | undefined)?.path;
  const op = ({ read: "read", write: "write", edit: "patch" } as const)[call?.name ?? ""];
  if (!op || !path || call?.failed) return [];
  const lines = (call?.result ?? "").split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line));
  return [{ op, path, ...(op === "patch" && { lines }) }];
}

function endingOf(turn: Value | undefined): Ending {
  if (turn?.at("stop").is("aborted")) return "interrupted";
  if (!turn?.at("stop").is("error")) return "completed";
  return /\b401\b/.test(turn.at("error").text ?? "") ? "auth" : "error";
}
