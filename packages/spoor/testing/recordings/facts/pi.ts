import { changedLines, distinct, type Ending, type Facts, type FileFact } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { type ToolFact, ToolList, wordsOf } from "./tool-facts.ts";

/**
 * Pi prints whole messages with their cost, and its tools as they run; over RPC also the questions of its extensions.
 */
export function readPi(frames: readonly RecordedFrame[]): Facts {
  const out = frames.filter(({ dir }) => dir === "out").map(({ frame }) => frame);
  const ends = out.filter((frame) => frame.at("type").is("message_end")).map((frame) => frame.at("message"));
  const answers = ends.filter((message) => message.at("role").is("assistant"));
  const texts = answers.flatMap((message) =>
    message.at("content").list.flatMap((block) => (block.at("type").is("text") ? [block.at("text").text ?? ""] : [])),
  );
  const usage = (...fields: string[]) =>
    answers.reduce((all, message) => fields.reduce((sum, field) => sum + number(message.at("usage", field)), all), 0);
  return {
    said: texts.join(""),
    ...(texts.length > 0 && { finalText: texts.at(-1) as string }),
    ...toolsOf(out),
    // It can ask only over RPC.
    ...(frames.some(({ dir }) => dir === "in") && asksOf(frames)),
    ...(answers.length > 0 && { endings: endingsOf(frames) }),
    tokens: { input: usage("input", "cacheRead", "cacheWrite"), output: usage("output") },
    costUsd: answers.reduce((sum, message) => sum + number(message.at("usage", "cost", "total")), 0),
  };
}

const number = (value: Value): number => value.number ?? 0;

function toolsOf(out: readonly Value[]): { tools: ToolFact[]; files: FileFact[] } {
  const tools = new ToolList();
  const files: FileFact[] = [];
  for (const frame of out) {
    const id = frame.at("toolCallId").text ?? "";
    if (frame.at("type").is("message_end")) {
      for (const call of frame.at("message", "content").list.filter((block) => block.at("type").is("toolCall"))) {
        const input = call.at("arguments").raw;
        tools.tell({ id: call.at("id").text ?? "", name: call.at("name").text ?? "", input });
      }
    }
    if (!frame.at("type").is("tool_execution_end")) continue;
    const failed = frame.at("isError").raw === true;
    const result = wordsOf(frame.at("result", "content").raw) ?? "";
    const exit = /Command exited with code (\d+)$/.exec(result)?.[1];
    tools.tell({ id, failed, result, ...(exit !== undefined && { exitCode: Number(exit) }) });
    const op = ({ read: "read", write: "write", edit: "patch" } as const)[frame.at("toolName").text ?? ""];
    const path = (tools.get(id)?.input as { path?: string } | undefined)?.path;
    if (failed || !op || !path) continue;
    const patch = frame.at("result", "details", "patch").text;
    files.push({ op, path, ...(patch !== undefined && op === "patch" && { lines: changedLines(patch) }) });
  }
  return { tools: tools.all, files };
}

function asksOf(frames: readonly RecordedFrame[]): Pick<Facts, "approvals" | "questions"> {
  const asked = new Map<string, { granted?: boolean }>();
  const questions: string[] = [];
  for (const { frame } of frames) {
    const id = String(frame.at("id").raw);
    if (frame.at("type").is("extension_ui_request")) {
      if (frame.at("method").is("confirm")) asked.set(id, {});
      if (frame.at("method").is("select", "input", "editor")) questions.push(frame.at("title").text ?? "");
    }
    const question = asked.get(id);
    if (frame.at("type").is("extension_ui_response") && question) question.granted = frame.at("confirmed").raw === true;
  }
  return { approvals: [...asked.values()], questions };
}

/** A prompt ends with `agent_end`, with the outcome of its last answer, unless it is retried. */
function endingsOf(frames: readonly RecordedFrame[]): Ending[] {
  const endings: Ending[] = [];
  let isAborted = false;
  let last: Value | undefined;
  for (const { dir, frame } of frames) {
    if (dir === "in" && frame.at("type").is("abort")) isAborted = true;
    if (dir === "in" && frame.at("type").is("prompt")) isAborted = false;
    if (frame.at("type").is("agent_end")) {
      last = frame.at("messages").list.findLast((message) => message.at("role").is("assistant"));
    }
    const isGivenUp = frame.at("type").is("auto_retry_end") && frame.at("finalError").is("Retry cancelled");
    const isOver = frame.at("type").is("agent_end") && frame.at("willRetry").raw !== true;
    if (!isOver && !isGivenUp) continue;
    endings.push(isAborted ? "interrupted" : last ? endingOf(last) : "completed");
  }
  return distinct(endings);
}

function endingOf(message: Value): Ending {
  const words = message.at("errorMessage").text ?? "";
  if (message.at("stopReason").is("aborted")) return "interrupted";
  if (!message.at("stopReason").is("error")) return "completed";
  if (/\b401\b/.test(words)) return "auth";
  if (/\b429\b/.test(words)) return "rate_limit";
  if (/context.{0,20}length|too long/i.test(words)) return "context";
  return "error";
}
