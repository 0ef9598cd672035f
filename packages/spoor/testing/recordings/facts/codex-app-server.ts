import { failureOf } from "./codex-exec.ts";
import { callOf, changesOf, isSpawn, kindOf } from "./codex-items.ts";
import { distinct, type Ending, type Facts } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { ToolList } from "./tool-facts.ts";

/** `codex app-server`: JSON-RPC in both directions. Threads of subagents are reported beside the requested one. */
export function readCodexAppServer(frames: readonly RecordedFrame[]): Facts {
  const main = new Set(turnsWanted(frames));
  const out = frames.filter(({ dir }) => dir === "out").map(({ frame }) => frame);
  const told = out.filter((frame) => /^item\/(started|completed)$/.test(frame.at("method").text ?? ""));
  const done = told.filter((frame) => frame.at("method").is("item/completed"));
  const isMain = (frame: Value) => main.has(frame.at("params", "threadId").text ?? "");
  const texts = done
    .filter((frame) => isMain(frame) && /^(agentmessage|plan)$/.test(kindOf(frame.at("params", "item"))))
    .map((frame) => frame.at("params", "item", "text").text ?? "");
  const tools = new ToolList();
  for (const frame of out) {
    const method = frame.at("method");
    const call = told.includes(frame) ? callOf(frame.at("params", "item")) : undefined;
    if (call) tools.tell(call);
    if (method.is("turn/plan/updated")) tools.tellNameless("update_plan");
    if (method.is("item/commandExecution/terminalInteraction")) tools.tellNameless("write_stdin");
    if (method.is("item/tool/requestUserInput")) tools.tell({ id: frame.at("params", "itemId").text ?? "" });
  }
  const isContinued = frames.some(({ frame }) => frame.at("method").is("thread/fork", "thread/resume"));
  const items = done.map((frame) => frame.at("params", "item"));
  const ended = out.filter((frame) => frame.at("method").is("turn/completed") && isMain(frame));
  const usage = out.findLast((frame) => frame.at("method").is("thread/tokenUsage/updated") && isMain(frame));
  const userAgent = out.find((frame) => frame.at("result", "userAgent").exists)?.at("result", "userAgent").text;
  const isOpened = out.some((frame) => frame.at("result", "thread").exists);
  return {
    ...(userAgent !== undefined && isOpened && { version: userAgent.split("/")[1]?.split(" ")[0] as string }),
    said: texts.join(""),
    tools: tools.all,
    // Only the adapter infers which files a command read.
    changes: items.flatMap(changesOf),
    ...asksOf(frames),
    subagents: items.filter(isSpawn).length,
    ...(ended.length > 0 && { endings: distinct(ended.map((frame) => endingOf(frame.at("params", "turn")))) }),
    // Totals of a fork include the usage before the fork.
    ...(usage && main.size === 1 && !isContinued && { tokens: tokensOf(usage.at("params", "tokenUsage", "total")) }),
  };
}

/** The threads whose turns the client started. */
const turnsWanted = (frames: readonly RecordedFrame[]): string[] =>
  frames.flatMap(({ dir, frame }) =>
    dir === "in" && frame.at("method").is("turn/start") ? [frame.at("params", "threadId").text ?? ""] : [],
  );

function asksOf(frames: readonly RecordedFrame[]): Pick<Facts, "approvals" | "questions"> {
  const asked = new Map<string, { tool?: string; granted?: boolean }>();
  const questions: string[] = [];
  for (const { dir, frame } of frames) {
    const id = String(frame.at("id").raw);
    const method = frame.at("method").text ?? "";
    if (dir === "out" && /requestApproval$/.test(method)) {
      asked.set(id, { tool: frame.at("params", "itemId").text ?? "" });
    }
    if (dir === "out" && method === "mcpServer/elicitation/request") asked.set(id, {});
    if (dir === "out" && method === "item/tool/requestUserInput") {
      questions.push(...frame.at("params", "questions").list.map((one) => one.at("question").text ?? ""));
    }
    const answer = frame.at("result", "decision");
    const question = asked.get(id);
    if (dir !== "in" || !question || !frame.at("result").exists) continue;
    question.granted = answer.is("accept", "acceptForSession") || frame.at("result", "action").is("accept");
    if (answer.at("acceptWithExecpolicyAmendment").exists) question.granted = true;
  }
  return { approvals: [...asked.values()], questions };
}

const tokensOf = (total: Value): { input: number; output: number } => ({
  input: total.at("inputTokens").number ?? 0,
  output: total.at("outputTokens").number ?? 0,
});

function endingOf(turn: Value): Ending {
  if (turn.at("status").is("interrupted")) return "interrupted";
  if (!turn.at("status").is("failed")) return "completed";
  const { message, codexErrorInfo } = (turn.at("error").raw ?? {}) as { message?: string; codexErrorInfo?: unknown };
  if (codexErrorInfo === "contextWindowExceeded") return "context";
  if (codexErrorInfo === "usageLimitExceeded") return "rate_limit";
  return failureOf(message ?? "");
}
