import { asObject, asText, type Json } from "../../kit/json-values.ts";
import { toolCallFields } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";
import type { Call } from "../conversation/openclaw-tool-calls.ts";

/** A question, from its own event or from one of the session. */
export function askOf(payload: Json, find: (id: string) => Call | undefined): Signal[] | undefined {
  const approval = asObject(payload.approval) ?? payload;
  const id = asText(approval.id);
  if (!id) return undefined;
  const request = asObject(approval.request) ?? asObject(approval.presentation) ?? approval;
  const { command, commandText, title, description, toolCallId } = request;
  const call = find(asText(toolCallId) ?? asText(asObject(approval.source)?.toolCallId) ?? "");
  const detail = [command, commandText, description, title].map(asText).find(Boolean) ?? JSON.stringify(request);
  const action = asText(title) ?? call?.name ?? "exec";
  return [
    { kind: "ask", id, action, detail, risk: "high", ...(call ? { tool: toolCallFields(call) } : { input: request }) },
  ];
}

/** The decision, whoever made it. */
export function resolvedOf(payload: Json): Signal[] | undefined {
  const approval = asObject(payload.approval) ?? payload;
  const id = asText(approval.id);
  if (!id) return undefined;
  const decision = asText(approval.decision) ?? asText(approval.status) ?? "";
  const reason = asText(approval.reason);
  return [{ kind: "answer", id, granted: isAllowed(decision), ...(reason && { reason }) }];
}

/** The client's answer. */
export function answerOf(params: Json): Signal[] {
  const id = asText(params.id);
  return id ? [{ kind: "answer", id, granted: isAllowed(asText(params.decision) ?? "") }] : [];
}

const isAllowed = (decision: string): boolean => /^(allow|approved)/.test(decision);
