import { callOf, changesOf, isSpawn, kindOf } from "./codex-items.ts";
import { distinct, type Ending, type Facts } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { ToolList } from "./tool-facts.ts";

/** `codex exec --json`: items, and the end of each turn with its tokens. It cannot ask and reports no cost. */
export function readCodexExec(frames: readonly RecordedFrame[]): Facts {
  const out = frames.map(({ frame }) => frame);
  const items = out.filter((frame) => /^item\./.test(frame.at("type").text ?? ""));
  const done = items.filter((frame) => frame.at("type").is("item.completed")).map((frame) => frame.at("item"));
  const texts = done.filter((item) => kindOf(item) === "agentmessage").map((item) => item.at("text").text ?? "");
  const turns = out.filter((frame) => frame.at("type").is("turn.completed", "turn.failed"));
  const tools = new ToolList();
  for (const frame of items) {
    const call = callOf(frame.at("item"));
    if (call) tools.tell(call);
    // The end repeats the last list.
    if (kindOf(frame.at("item")) === "todolist" && !frame.at("type").is("item.completed"))
      tools.tellNameless("update_plan");
  }
  return {
    said: texts.join(""),
    ...(texts.length > 0 && { finalText: texts.at(-1) as string }),
    tools: tools.all,
    // Only the adapter infers which files a command read.
    changes: done.flatMap(changesOf),
    subagents: done.filter(isSpawn).length,
    ...(turns.length > 0 && { endings: distinct(turns.map(endingOf)) }),
    ...(turns.some((turn) => turn.at("usage").exists) && { tokens: tokensOf(turns.at(-1) as Value) }),
  };
}

/** The thread's last token totals. */
const tokensOf = (turn: Value): { input: number; output: number } => ({
  input: turn.at("usage", "input_tokens").number ?? 0,
  output: turn.at("usage", "output_tokens").number ?? 0,
});

function endingOf(turn: Value): Ending {
  return turn.at("type").is("turn.completed") ? "completed" : failureOf(turn.at("error", "message").text ?? "");
}

export function failureOf(words: string): Ending {
  if (/\b401\b/.test(words)) return "auth";
  if (/\b429\b|usage limit|rate limit/i.test(words)) return "rate_limit";
  if (/context window/.test(words)) return "context";
  return "error";
}
