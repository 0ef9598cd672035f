import type { Ending, Facts } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { type ToolFact, ToolList, wordsOf } from "./tool-facts.ts";

/**
 * OpenClaw's gateway reports a run in several ways at once. This reader takes text from growing items, calls from the
 * tool stream, tokens from stored messages, and the ending from the chat.
 */
export function readOpenclaw(frames: readonly RecordedFrame[]): Facts {
  const ours = frames.find(({ dir, frame }) => dir === "in" && frame.at("method").is("chat.send"));
  const key = ours?.frame.at("params", "sessionKey").text ?? "";
  const events = frames
    .filter(({ dir, frame }) => dir === "out" && frame.at("type").is("event"))
    .map(({ frame }) => ({ name: frame.at("event").text, payload: frame.at("payload") }));
  const of = (name: string) => events.filter((event) => event.name === name).map(({ payload }) => payload);
  const mine = (payload: Value) => payload.at("sessionKey").is(key);
  const messages = of("session.message").filter(mine);
  const usage = (...names: string[]) =>
    messages.reduce(
      (sum, message) =>
        sum + names.reduce((more, name) => more + (message.at("message", "usage", name).number ?? 0), 0),
      0,
    );
  const cost = messages.reduce(
    (sum, message) => sum + (message.at("message", "usage", "cost", "total").number ?? 0),
    0,
  );
  return {
    said: saidIn(of("agent").filter(mine)),
    tools: toolsIn(of("agent").filter((payload) => payload.at("stream").is("tool"))),
    subagents: new Set(of("task").map((payload) => payload.at("task", "childSessionKey").text)).size,
    endings: [of("chat").filter(mine).map(endingOf).find(Boolean) ?? "crash"],
    tokens: { input: usage("input", "cacheRead", "cacheWrite"), output: usage("output") },
    costUsd: cost,
  };
}

/** The last state of each item, in the order in which they began. */
function saidIn(payloads: readonly Value[]): string {
  const items = new Map<string, string>();
  for (const payload of payloads) {
    const data = payload.at("data");
    const text = payload.at("stream").is("assistant")
      ? data.at("text").text
      : data.at("kind").is("preamble")
        ? data.at("progressText").text
        : undefined;
    if (text) items.set(data.at("itemId").text ?? "", text);
  }
  return [...items.values()].join("");
}

function toolsIn(payloads: readonly Value[]): ToolFact[] {
  const tools = new ToolList();
  for (const payload of payloads) {
    const data = payload.at("data");
    const id = data.at("toolCallId").text ?? "";
    if (data.at("phase").is("start")) {
      tools.tell({ id, name: (data.at("name").text ?? "").replace("__", "/"), input: data.at("args").raw });
    }
    if (!data.at("phase").is("result")) continue;
    const exitCode = data.at("result", "details", "exitCode").number;
    const words = wordsOf(data.at("result").raw);
    const failed = data.at("isError").raw === true;
    tools.tell({
      id,
      failed,
      ...(words !== undefined && { result: words }),
      ...(exitCode !== undefined && { exitCode }),
    });
  }
  return tools.all;
}

function endingOf(chat: Value): Ending | undefined {
  if (chat.at("state").is("final")) return "completed";
  if (chat.at("state").is("aborted")) return "interrupted";
  if (!chat.at("state").is("error")) return undefined;
  return /\b401\b|API key/.test(chat.at("errorMessage").text ?? "") ? "auth" : "error";
}
