import { asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";
import type { Calls } from "./copilot-tool-calls.ts";
import { kindOf } from "./copilot-tools.ts";

type Ask = Extract<Signal, { kind: "ask" }>;

/** The agent asks for permission. It may ask several times about one call, each time with another id. */
export function permissionRequested(data: Json, calls: Calls): Signal[] {
  const id = asText(data.requestId);
  const request = asObject(data.permissionRequest) ?? {};
  if (id === undefined) return [];
  const action = asText(request.kind) ?? "unknown";
  const tool = toolOf(request, action, calls);
  if (tool) calls.asked(tool.id);
  const detail = detailFields.map((name) => asText(request[name])).find(Boolean) ?? JSON.stringify(request);
  const diff = asText(request.diff)?.trim() || undefined;
  const risk = riskOf(request, calls.cwd);
  return [
    { kind: "ask", id, action, detail, risk, ...omitUndefined({ tool, diff, input: tool ? undefined : request }) },
  ];
}

export function permissionCompleted(data: Json, calls: Calls): Signal[] {
  const answered = answerOf(data);
  const isGranted = answered.some(({ granted }) => granted);
  return [...answered, ...(isGranted ? calls.begun(asText(data.toolCallId) ?? "") : [])];
}

/** The decision, from the client's request or the agent's event. */
export function answerOf({ requestId, result }: Json): Extract<Signal, { kind: "answer" }>[] {
  const id = asText(requestId);
  const { kind, feedback } = asObject(result) ?? {};
  if (id === undefined) return [];
  if (asText(kind)?.startsWith("approve")) return [{ kind: "answer", id, granted: true }];
  return [{ kind: "answer", id, granted: false, reason: asText(feedback) ?? asText(kind) ?? "" }];
}

/** The fields that describe the action, depending on the kind of request. */
const detailFields = ["fullCommandText", "fileName", "path", "url", "toolTitle", "intention", "toolName"];

/** Low for reading inside the project and for read-only commands. */
function riskOf({ kind, path, readOnly, commands }: Json, cwd = ""): Ask["risk"] {
  const parts = asObjects(commands);
  const isInside = kind === "read" && `${asText(path)}/`.startsWith(`${cwd}/`);
  const isReading = parts.length > 0 && parts.every((part) => part.readOnly === true);
  return isInside || readOnly === true || isReading ? "low" : "medium";
}

function toolOf(request: Json, action: string, calls: Calls): Ask["tool"] {
  const id = asText(request.toolCallId);
  if (id === undefined) return undefined;
  const name = asText(request.toolName) ?? (action === "shell" ? "bash" : action);
  return calls.find(id) ?? { id, name, toolKind: kindOf(name), input: request.args ?? {} };
}
