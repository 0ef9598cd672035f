import type { ToolKind } from "@spoor/protocol";
import { given } from "../../../given.ts";
import { asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import type { Tools } from "./tools.ts";

/** A question of the agent's. */
export function readRequest(frame: Json, tools: Tools): Signal[] | undefined {
  const id = asText(frame.request_id);
  const request = asObject(frame.request);
  if (!id || !request) return undefined;
  if (request.subtype === "elicitation") {
    return [{ kind: "question", id, question: asText(request.message) ?? "", source: "tool" }];
  }
  if (request.subtype !== "can_use_tool") return undefined;
  const name = asText(request.tool_name) ?? "unknown";
  return [tools.profile.questionTools.includes(name) ? questionOf(id, request) : askOf(id, name, request, tools)];
}

export type Answer = Omit<Extract<Signal, { kind: "answer" }>, "kind" | "child">;

/** The answer that was sent to it. */
export function readAnswer(frame: Json): Answer {
  const response = asObject(frame.response) ?? {};
  const answer = asObject(response.response) ?? {};
  const reason = asText(answer.message ?? response.error);
  return { id: asText(response.request_id) ?? "", granted: answer.behavior === "allow", ...given({ reason }) };
}

function askOf(id: string, name: string, request: Json, tools: Tools): Signal {
  const toolId = asText(request.tool_use_id);
  const known = tools.open.get(toolId ?? "");
  const tool = known ?? tools.named(name);
  // A plan's text is in the call alone: the request's input is empty.
  const input = { ...known?.input, ...asObject(request.input) };
  if (toolId !== undefined) tools.asked.add(toolId);
  return {
    kind: "ask",
    id,
    action: name,
    detail: asText(input.command ?? input.plan ?? input.file_path ?? input.url) ?? JSON.stringify(input),
    risk: riskOf(tool.toolKind),
    ...(toolId !== undefined && { tool: { id: toolId, ...tool, input } }),
  };
}

/** All questions of one call are answered together. */
function questionOf(id: string, request: Json): Signal {
  const questions = asObjects(asObject(request.input)?.questions);
  const options = questions.flatMap((question) => asObjects(question.options));
  const context = options.map(({ label, description }) => [label, description].filter(asText).join(": ")).join("\n");
  const question = questions.flatMap((value) => asText(value.question) ?? []).join("\n");
  return { kind: "question", id, question, source: "agent", ...(context !== "" && { context }) };
}

/** Reading is low, writing medium, what may destroy or reach out high. */
function riskOf(kind: ToolKind): "low" | "medium" | "high" {
  if (reading.includes(kind)) return "low";
  return reaching.includes(kind) ? "high" : "medium";
}

const reading: readonly ToolKind[] = ["file_read", "glob", "grep", "todo_write"];
const reaching: readonly ToolKind[] = ["shell", "http", "web_fetch", "web_search", "mcp"];
