import { distinct, type Ending, type Facts, type FileFact } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { lineDiff } from "./line-diff.ts";
import { type ToolFact, ToolList } from "./tool-facts.ts";

/** ACP: prompts and their responses by id, and session updates in between. */
export function readAcp(frames: readonly RecordedFrame[]): Facts {
  const { updates, answers } = promptsOf(frames);
  const isOfChild = (update: Value) => update.at("_meta", "parentToolCallId").exists;
  const texts = updates
    .filter((update) => update.at("sessionUpdate").is("agent_message_chunk"))
    .map((update) => update.at("content", "text").text ?? "");
  const changes = updates.flatMap(changesOf);
  return {
    // Only the adapter works out which text belongs to a subagent.
    ...(!updates.some(isOfChild) && { said: texts.join("") }),
    tools: toolsOf(frames, updates),
    ...(changes.length > 0 && { changes }),
    approvals: approvalsOf(frames),
    ...(answers.length > 0 && { endings: distinct(answers.map(endingOf)) }),
    ...tokensOf(answers),
  };
}

/** The updates while a prompt is open, and its response. Updates that a load replays are history. */
function promptsOf(frames: readonly RecordedFrame[]): { updates: Value[]; answers: Value[] } {
  const updates: Value[] = [];
  const answers: Value[] = [];
  const sessions = new Set<string>();
  const prompts = new Set<string>();
  const loads = new Set<string>();
  for (const { dir, frame } of frames) {
    const id = String(frame.at("id").raw);
    const method = frame.at("method");
    const session = frame.at("params", "sessionId").text ?? "";
    if (dir === "in") {
      if (method.is("session/prompt") && sessions.has(session)) prompts.add(id);
      if (method.is("session/load", "session/resume")) sessions.add(session);
      if (method.is("session/load")) loads.add(id);
    } else if (!method.exists) {
      const opened = frame.at("result", "sessionId").text;
      if (opened) sessions.add(opened);
      if (!loads.delete(id) && prompts.delete(id)) answers.push(frame);
    } else if (method.is("session/update") && loads.size === 0 && prompts.size > 0) {
      updates.push(frame.at("params", "update"));
    }
  }
  return { updates, answers };
}

/** Calls that were reported or only asked about. */
function toolsOf(frames: readonly RecordedFrame[], updates: readonly Value[]): ToolFact[] {
  const tools = new ToolList();
  for (const update of updates) {
    tellCall(tools, update);
    if (update.at("sessionUpdate").is("plan")) tools.tellNameless("plan");
  }
  for (const { frame } of frames.filter(isQuestion)) {
    const id = frame.at("params", "toolCall", "toolCallId").text;
    if (id !== undefined) tools.tell({ id });
  }
  return tools.all;
}

const isQuestion = ({ dir, frame }: RecordedFrame): boolean =>
  dir === "out" && frame.at("method").is("session/request_permission");

/** Ids are reused, so an answer belongs to the last question with its id. */
function approvalsOf(frames: readonly RecordedFrame[]): NonNullable<Facts["approvals"]> {
  const asked: { id: unknown; options: Value[]; approval: { tool?: string; granted?: boolean } }[] = [];
  for (const recorded of frames) {
    const { dir, frame } = recorded;
    const id = frame.at("id").raw;
    if (isQuestion(recorded)) {
      const tool = frame.at("params", "toolCall", "toolCallId").text;
      asked.push({ id, options: frame.at("params", "options").list, approval: tool === undefined ? {} : { tool } });
    }
    const question = asked.findLast((one) => one.id === id);
    if (dir !== "in" || frame.at("method").exists || question?.approval.granted !== undefined || !question) continue;
    const chosen = frame.at("result", "outcome", "optionId").raw;
    const option = question.options.find((one) => one.at("optionId").raw === chosen);
    question.approval.granted = option?.at("kind").text?.startsWith("allow") ?? false;
  }
  return asked.map(({ approval }) => approval);
}

/** Set only if the response to every prompt contains tokens. */
function tokensOf(answers: readonly Value[]): Pick<Facts, "tokens"> {
  const usages = answers.map((answer) => answer.at("result", "usage"));
  if (usages.length === 0 || !usages.every((usage) => usage.exists)) return {};
  const sum = (...names: string[]) =>
    usages.reduce((all, usage) => names.reduce((some, name) => some + (usage.at(name).number ?? 0), all), 0);
  return {
    tokens: { input: sum("inputTokens", "cachedReadTokens", "cachedWriteTokens"), output: sum("outputTokens") },
  };
}

function tellCall(tools: ToolList, update: Value): void {
  if (!update.at("sessionUpdate").is("tool_call", "tool_call_update")) return;
  const status = update.at("status");
  const input = update.at("rawInput").raw;
  const call: ToolFact = { id: update.at("toolCallId").text ?? "" };
  if (typeof input === "object" && input !== null && Object.keys(input).length > 0 && !tools.get(call.id)?.input) {
    call.input = input;
  }
  // Gemini reports a cancelled call as completed.
  const isCancelled = /^Command cancelled by user/.test(update.at("content", 0, "content", "text").text ?? "");
  if (status.is("completed", "failed")) call.failed = status.is("failed") || isCancelled;
  const exit = EXIT_CODES.map((path) => update.at(...path).number).find((code) => code !== undefined);
  if (exit !== undefined) call.exitCode = exit;
  tools.tell(call);
}

/** What a finished call did to files. */
function changesOf(update: Value): FileFact[] {
  if (!update.at("status").is("completed")) return [];
  return update.at("content").list.flatMap((block): FileFact[] => {
    const path = block.at("path").text;
    if (!block.at("type").is("diff") || path === undefined) return [];
    const before = block.at("oldText").text ?? "";
    if (before === "") return [{ op: "create", path }];
    return [{ op: "patch", path, lines: lineDiff(before, block.at("newText").text ?? "") }];
  });
}

/** Each agent has its own field for the exit code of a command. */
const EXIT_CODES = [
  ["rawOutput", "metadata", "exit"],
  ["rawOutput", "exitCode"],
  ["rawOutput", "exit_code"],
  ["_meta", "terminal_exit", "exit_code"],
];

function endingOf(answer: Value): Ending {
  const words = JSON.stringify(answer.at("error").raw ?? "");
  if (answer.at("error").exists) {
    if (/-32000|auth|\b401\b|API key/i.test(words)) return "auth";
    return /\b429\b|quota/i.test(words) ? "rate_limit" : "error";
  }
  const stop = answer.at("result", "stopReason");
  if (stop.is("cancelled")) return "interrupted";
  if (stop.is("max_turn_requests")) return "turn_limit";
  return stop.is("refusal") ? "error" : "completed";
}
