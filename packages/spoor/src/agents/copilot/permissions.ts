import { asArray, asObject, asText, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";
import type { Calls } from "./calls.ts";
import { kindOf } from "./tools.ts";

type Ask = Extract<Signal, { kind: "ask" }>;

/** The agent asks for permission. One call may be asked about several times, each under an id of its own. */
export function permissionRequested(data: Json, calls: Calls): Signal[] {
  const id = asText(data.requestId);
  const request = asObject(data.permissionRequest) ?? {};
  if (id === undefined) return [];
  const action = asText(request.kind) ?? "unknown";
  const tool = toolOf(request, action, calls);
  if (tool) calls.asked(tool.id);
  const detail = detailFields.map((name) => asText(request[name])).find((text) => text !== undefined && text !== "");
  const asked: Ask = {
    kind: "ask",
    id,
    action,
    detail: detail ?? JSON.stringify(request),
    risk: riskOf(request, calls.cwd),
  };
  return [tool ? { ...asked, tool } : asked];
}

export function permissionCompleted(data: Json, calls: Calls): Signal[] {
  const id = asText(data.requestId);
  const result = asObject(data.result) ?? {};
  const kind = asText(result.kind) ?? "";
  const granted = kind.startsWith("approved");
  const reason = asText(result.feedback) ?? kind;
  if (id === undefined) return [];
  const begun = granted ? calls.begun(asText(data.toolCallId) ?? "") : [];
  return [granted ? { kind: "answer", id, granted } : { kind: "answer", id, granted, reason }, ...begun];
}

/** Where the different questions say what they are about. */
const detailFields = ["fullCommandText", "fileName", "path", "url", "toolTitle", "intention", "toolName"];

/** What only reads, and not from outside the project. */
function riskOf({ kind, path, readOnly, commands }: Json, cwd = ""): Ask["risk"] {
  const isInside = kind === "read" && `${asText(path)}/`.startsWith(`${cwd}/`);
  const isReading =
    asArray(commands).length > 0 && asArray(commands).every((each) => asObject(each)?.readOnly === true);
  return isInside || readOnly === true || isReading ? "low" : "medium";
}

function toolOf(request: Json, action: string, calls: Calls): Ask["tool"] {
  const id = asText(request.toolCallId);
  if (id === undefined) return undefined;
  const name = asText(request.toolName) ?? (action === "shell" ? "bash" : action);
  return calls.find(id) ?? { id, name, toolKind: kindOf(name), input: request.args ?? {} };
}
