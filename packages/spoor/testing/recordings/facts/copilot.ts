import { changedLines, distinct, type Ending, type Facts, type FileFact } from "./facts.ts";
import type { RecordedFrame, Value } from "./frames.ts";
import { type ToolFact, ToolList, wordsOf } from "./tool-facts.ts";

/**
 * Copilot's session events: plain lines in one dialect, notifications in the other. Ephemeral events may be missing in
 * the first, so only whole messages count there. Text that was cut short is in no whole message.
 */
export function readCopilot(frames: readonly RecordedFrame[]): Facts {
  const out = frames.filter(({ dir }) => dir === "out").map(({ frame }) => frame);
  const isServer = out.some((frame) => frame.at("jsonrpc").exists);
  const events = isServer
    ? out.filter((frame) => frame.at("method").is("session.event")).map((frame) => frame.at("params", "event"))
    : out;
  const main = events.filter((event) => !event.at("agentId").exists);
  const of = (type: string, list = events) => list.filter((event) => event.at("type").is(type));
  const isCut = ["abort", "assistant.turn_retry"].some((type) => of(type, main).length > 0);
  const texts = of("assistant.message", main).map((event) => event.at("data", "content").text ?? "");
  const usage = of("assistant.usage", main).map((event) => event.at("data"));
  const summaries = of("session.compaction_complete", main).map((event) => event.at("data", "compactionTokensUsed"));
  const endings = endingsOf(out, main, isServer);
  const approvals = isServer ? approvalsOf(of("permission.requested"), of("permission.completed"), events) : undefined;
  const sum = (field: string) => [...usage, ...summaries].reduce((all, data) => all + (data.at(field).number ?? 0), 0);
  return {
    ...(!isCut && { said: texts.join("") }),
    tools: toolsOf(events),
    files: of("tool.execution_complete").flatMap((event) => filesOf(event.at("data"), events)),
    ...(approvals && { approvals }),
    questions: out
      .filter((frame) => frame.at("method").is("userInput.request"))
      .map((frame) => frame.at("params", "question").text ?? ""),
    subagents: of("subagent.started").length,
    ...(endings.length > 0 && { endings: distinct(endings) }),
    ...(usage.length > 0 && { tokens: { input: sum("inputTokens"), output: sum("outputTokens") } }),
  };
}

function toolsOf(events: readonly Value[]): ToolFact[] {
  const tools = new ToolList();
  for (const event of events) {
    const data = event.at("data");
    for (const request of event.at("type").is("assistant.message") ? data.at("toolRequests").list : []) {
      const server = request.at("mcpServerName").text;
      const name = server === undefined ? request.at("name").text : `${server}/${request.at("mcpToolName").text}`;
      const input = request.at("arguments").raw;
      tools.tell({ id: request.at("toolCallId").text ?? "", ...(name !== undefined && { name }), input });
    }
    if (!event.at("type").is("tool.execution_complete")) continue;
    const failed = data.at("success").raw !== true;
    const result = wordsOf(failed ? data.at("error", "message").raw : data.at("result", "content").raw);
    const id = data.at("toolCallId").text ?? "";
    // A call that reads the output of an earlier command reports that command's exit code.
    const runs = tools.get(id)?.name === "bash";
    const exitCode = runs ? data.at("shellExecution", "exitCode").number : undefined;
    tools.tell({
      id,
      failed,
      ...(result !== undefined && { result }),
      ...(exitCode !== undefined && { exitCode }),
    });
  }
  return tools.all;
}

/** Only the input names a file that was viewed. Changes are listed, and their diffs are joined into one text. */
function filesOf(data: Value, events: readonly Value[]): FileFact[] {
  if (data.at("success").raw !== true) return [];
  const started = events.find(
    (event) =>
      event.at("type").is("tool.execution_start") &&
      event.at("data", "toolCallId").is(data.at("toolCallId").text ?? ""),
  );
  const viewed = started?.at("data", "toolName").is("view") ? started.at("data", "arguments", "path").text : undefined;
  if (viewed !== undefined) return [{ op: "read", path: viewed }];
  const diff = data.at("result", "detailedContent").text ?? "";
  return data.at("fileEdits").list.map((edit): FileFact => {
    const path = edit.at("path").text ?? "";
    if (!edit.at("kind").is("edit")) return { op: edit.at("kind").is("delete") ? "delete" : "create", path };
    const own = diff.split("diff --git ").find((part) => part.includes(`+++ b${path}\n`)) ?? "";
    return { op: "patch", path, lines: changedLines(own) };
  });
}

/** Refusals without a question count too: the events report them as answers. */
function approvalsOf(
  requests: readonly Value[],
  answers: readonly Value[],
  events: readonly Value[],
): Facts["approvals"] {
  const asked = requests.map((request) => {
    const id = request.at("data", "requestId").text ?? "";
    const answer = answers.find((each) => each.at("data", "requestId").is(id))?.at("data", "result", "kind").text;
    const tool = request.at("data", "permissionRequest", "toolCallId").text;
    return {
      ...(tool !== undefined && { tool }),
      ...(answer !== undefined && { granted: answer.startsWith("approved") }),
    };
  });
  const unasked = events.filter(
    (event) =>
      event.at("data", "error", "code").is("denied") &&
      asked.every(({ tool }) => !event.at("data", "toolCallId").is(tool ?? "")),
  );
  return [...asked, ...unasked.map(() => ({ granted: false }))];
}

/** One per prompt in the server dialect, one in total in the other, where a clean exit code proves nothing. */
function endingsOf(out: readonly Value[], main: readonly Value[], isServer: boolean): Ending[] {
  const refused = isServer ? out.filter((frame) => frame.at("error").exists) : [];
  const endings: Ending[] = refused.map(() => "error");
  let ending: Ending = "completed";
  for (const event of main) {
    const type = event.at("type");
    if (type.is("session.error")) ending = failureOf(event.at("data"));
    if (type.is("abort")) ending = "interrupted";
    if (type.is("session.autopilot_stopped")) ending = "turn_limit";
    if (!type.is(isServer ? "session.idle" : "result")) continue;
    endings.push(ending);
    ending = "completed";
  }
  return endings;
}

function failureOf(data: Value): Ending {
  if (data.at("errorType").is("authentication")) return "auth";
  if (data.at("errorType").is("rate_limit")) return "rate_limit";
  const words = data.at("message").text ?? "";
  if (/context length/.test(words)) return "context";
  return /OAuth token/.test(words) ? "auth" : "error";
}
