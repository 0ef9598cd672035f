import type { ToolKind } from "@spoor/protocol";
import { asObject, asObjects, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import { kindOf, type Tools } from "./tools.ts";

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
  if (tools.profile.questionTools.includes(name)) return questionsOf(id, asObject(request.input) ?? {});
  return [askOf(id, name, request, tools)];
}

export type Answer = Omit<Extract<Signal, { kind: "answer" }>, "kind" | "child">;

/** The answer that was sent to it. */
export function readAnswer(frame: Json): Answer {
  const response = asObject(frame.response) ?? {};
  const answer = asObject(response.response) ?? {};
  const reason = asText(answer.message ?? response.error);
  const id = asText(response.request_id) ?? "";
  return { id, granted: answer.behavior === "allow", ...(reason !== undefined && { reason }) };
}

function askOf(id: string, name: string, request: Json, tools: Tools): Signal {
  const toolId = asText(request.tool_use_id);
  const known = toolId === undefined ? undefined : tools.get(toolId);
  const kind = known ?? kindOf(name, tools.profile);
  // A plan's text is in the call alone: the request's input is empty.
  const input = { ...known?.input, ...asObject(request.input) };
  if (toolId !== undefined) tools.asked.add(toolId);
  return {
    kind: "ask",
    id,
    action: name,
    detail: asText(input.command ?? input.plan ?? input.file_path ?? input.url) ?? JSON.stringify(input),
    risk: risks[kind.toolKind] ?? "medium",
    ...(toolId !== undefined && { tool: { id: toolId, ...kind, input } }),
  };
}

function questionsOf(id: string, input: Json): Signal[] {
  const questions = asObjects(input.questions);
  const options = questions.flatMap((question) => asObjects(question.options));
  const context = options.map(({ label, description }) => [label, description].filter(asText).join(": ")).join("\n");
  const question = questions.flatMap((value) => asText(value.question) ?? []).join("\n");
  return [{ kind: "question", id, question, source: "agent", ...(context !== "" && { context }) }];
}

/** Reading is low, writing medium, what may destroy or reach out high. */
const risks: Partial<Record<ToolKind, "low" | "high">> = {
  file_read: "low",
  glob: "low",
  grep: "low",
  todo_write: "low",
  shell: "high",
  http: "high",
  web_fetch: "high",
  web_search: "high",
  mcp: "high",
};
