import { changeOf, filesOf } from "./claude-files.ts";
import { distinct, type Ending, type Facts, versionOf } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { type ToolFact, ToolList, wordsOf } from "./tool-facts.ts";

/** Claude Code and Qwen Code print messages of the Anthropic API, whole or in pieces, and a result per prompt. */
export function readClaude(frames: readonly RecordedFrame[], argv: readonly string[]): Facts {
  const out = frames.filter(({ dir }) => dir === "out").map(({ frame }) => frame);
  const results = out.filter((frame) => frame.at("type").is("result"));
  const spoken = textsOf(out);
  const messages = spoken.length > 0 || out.length > 1 ? spoken : [results[0]?.at("result").text ?? ""];
  const tools = toolsOf(out);
  return {
    ...versionOf(
      out
        .filter((frame) => frame.at("subtype").is("init"))
        .flatMap((init) => [init.at("claude_code_version"), init.at("qwen_code_version")]),
    ),
    said: messages.join(""),
    ...(messages.length > 0 && { finalText: messages.at(-1) as string }),
    tools,
    ...(out.some((frame) => frame.at("claude_code_version").exists) && { files: filesOf(out, tools) }),
    ...(out.some((frame) => frame.at("permission_mode").exists) && { changes: tools.flatMap(changeOf) }),
    ...asksOf(frames),
    subagents: tools.filter(({ name }) => /^(task|agent)$/i.test(name ?? "")).length,
    ...(results.length > 0 && { endings: distinct(results.map((result) => endingOf(result, failuresIn(out)))) }),
    // The totals of a resumed session include its earlier usage.
    ...(results.length > 0 &&
      !argv.some((argument) => /^(-c|-r|--resume|--continue)/.test(argument)) &&
      spendingOf(results)),
  };
}

/** Whole messages if there are any, or else the pieces: a message that was cut off has nothing else. */
function textsOf(out: readonly Value[]): string[] {
  const texts: string[] = [];
  let pieces = "";
  const cut = () => {
    if (!isFailure.test(pieces)) texts.push(pieces);
    pieces = "";
  };
  for (const frame of out) {
    if (frame.at("parent_tool_use_id").exists) continue;
    const event = frame.at("event");
    if (event.at("type").is("message_start")) cut();
    if (event.at("delta", "type").is("text_delta")) pieces += event.at("delta", "text").text ?? "";
    if (!frame.at("type").is("assistant")) continue;
    for (const block of frame.at("message", "content").list.filter((one) => one.at("type").is("text"))) {
      pieces = "";
      if (!frame.at("message", "model").is("<synthetic>") && !isOwn(frame)) texts.push(block.at("text").text ?? "");
    }
  }
  cut();
  return texts.filter((text) => text !== "");
}

const isFailure = /^\[API Error: .*\]$/s;

/** Failures are reported as messages too. Their text marks them, and no model tokens were used for them. */
const isOwn = (frame: Value): boolean =>
  frame.at("message", "content").list.some((block) => isFailure.test(block.at("text").text ?? "")) &&
  !frame.at("message", "usage", "output_tokens").number;

const failuresIn = (out: readonly Value[]): string[] =>
  out.filter(isOwn).flatMap((frame) => frame.at("message", "content").list.map((block) => block.at("text").text ?? ""));

function toolsOf(out: readonly Value[]): ToolFact[] {
  const tools = new ToolList();
  for (const frame of out) {
    for (const block of frame.at("message", "content").list) {
      const id = block.at("id").text ?? block.at("tool_use_id").text;
      if (id === undefined) continue;
      if (block.at("type").is("tool_use", "server_tool_use")) {
        tools.tell({ id, name: nameOf(block.at("name").text ?? ""), input: block.at("input").raw });
      }
      if (block.at("type").is("tool_result")) {
        // A hint to the model on how to call again is not part of the tool's text.
        const words = wordsOf(block.at("content").raw)?.replace(/\n\nThis tool's input schema was not in .*/s, "");
        const result = words?.replace(/^<tool_use_error>(?:Error: )?(.*)<\/tool_use_error>$/s, "$1");
        const exit = /^(?:Error: )?Exit code (\d+)/.exec(result ?? "")?.[1];
        tools.tell({
          id,
          failed: block.at("is_error").raw === true,
          ...(result !== undefined && { result }),
          ...(exit !== undefined && { exitCode: Number(exit) }),
        });
      }
    }
  }
  return tools.all;
}

const nameOf = (name: string): string => name.replace(/^mcp__(.+?)__(.+)$/, "$1/$2");

/** Permission requests, other questions, and refusals without a question. */
function asksOf(frames: readonly RecordedFrame[]): Pick<Facts, "approvals" | "questions"> {
  const asked = new Map<string, { tool?: string; granted?: boolean }>();
  const questions: string[] = [];
  for (const { dir, frame } of frames) {
    const request = frame.at("request");
    if (dir === "out" && frame.at("type").is("control_request") && request.at("subtype").is("can_use_tool")) {
      const tool = request.at("tool_use_id").text;
      if (request.at("tool_name").is("AskUserQuestion")) {
        questions.push(...request.at("input", "questions").list.map((one) => one.at("question").text ?? ""));
      } else asked.set(String(frame.at("request_id").raw), tool === undefined ? {} : { tool });
    }
    if (dir === "in" && frame.at("type").is("control_response")) {
      const question = asked.get(String(frame.at("response", "request_id").raw));
      const behavior = frame.at("response", "response", "behavior").text;
      if (question && behavior) question.granted = behavior === "allow";
    }
    for (const meta of frame.at("tool_result_meta").list) {
      const decision = meta.at("permission_decision");
      const isKnown = [...asked.values()].some(({ tool }) => tool === meta.at("id").text);
      if (decision.at("decision").is("reject") && !isKnown) asked.set(`denied ${asked.size}`, { granted: false });
    }
    // Qwen Code reports these only at the end.
    if (asked.size > 0) continue;
    for (const _ of frame.at("permission_denials").list) asked.set(`denied ${asked.size}`, { granted: false });
  }
  return { approvals: [...asked.values()], questions };
}

function endingOf(result: Value, failures: readonly string[]): Ending {
  if (result.at("subtype").is("error_max_turns")) return "turn_limit";
  // Qwen Code 0.23 reports success here.
  const isSpoken = failures.includes(result.at("result").text ?? "");
  if (result.at("is_error").raw !== true && !isSpoken) return "completed";
  const words = JSON.stringify([result.at("result").raw, result.at("error").raw, result.at("errors").raw]);
  const status = result.at("api_error_status").number;
  if (result.at("terminal_reason").is("aborted_streaming", "aborted_tools")) return "interrupted";
  if (result.at("terminal_reason").is("prompt_too_long")) return "context";
  if (/Operation cancelled/.test(words)) return "interrupted";
  if (/maximum context length/.test(words)) return "context";
  if (status === 401 || /401|authenticat/i.test(words)) return "auth";
  if (status === 429 || /\b429\b/.test(words)) return "rate_limit";
  return "error";
}

/** The last result covers the whole process. */
function spendingOf(results: readonly Value[]): Pick<Facts, "tokens" | "costUsd"> {
  const last = results.at(-1) as Value;
  const models = Object.keys((last.at("modelUsage").raw as object | undefined) ?? {});
  const sum = (...fields: string[]) =>
    models.reduce(
      (total, model) =>
        total + fields.reduce((all, field) => all + (last.at("modelUsage", model, field).number ?? 0), 0),
      0,
    );
  const costUsd = last.at("total_cost_usd").number;
  return {
    ...(models.length > 0 && {
      tokens: {
        input: sum("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
        output: sum("outputTokens"),
      },
    }),
    ...(costUsd !== undefined && { costUsd }),
  };
}
