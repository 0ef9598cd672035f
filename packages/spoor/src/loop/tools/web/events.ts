import type { ToolContext, ToolResult } from "../tool.ts";
import type { WebListener, WebResponse } from "./send.ts";

/** The kinds of tools that make requests. */
export type WebKind = "http" | "web_fetch" | "web_search";

/** Tells each request before it is sent, and each answer. */
export function listenerOf(kind: WebKind, method: string, context: ToolContext, more: object = {}): WebListener {
  const call = { tool_call_id: context.callId };
  return {
    requested: (url, header_keys) =>
      context.tell({ events: [[`tool.${kind}.requested`, { ...call, ...more, method, url, header_keys }]] }),
    redirected: (status, duration_ms) =>
      context.tell({ events: [[`tool.${kind}.response`, { ...call, status, duration_ms }]] }),
  };
}

/** The answer as an event. */
export function responseEvents(
  kind: WebKind,
  context: ToolContext,
  { status, durationMs, body }: WebResponse,
  more: object,
): Required<Pick<ToolResult, "events">> {
  const told = { tool_call_id: context.callId, status, duration_ms: durationMs, body_truncated: body.isCut };
  return { events: [[`tool.${kind}.response`, { ...told, ...more }]] };
}

/** The media type, without its parameters. */
export const mimeOf = (contentType: string | undefined): string =>
  /^[\w.+-]+\/[\w.+-]+/.exec(contentType ?? "")?.[0].toLowerCase() ?? "application/octet-stream";

/** The beginning of a long text, and that it is cut. */
export function shortened(text: string, most: number, artifact: string | undefined): string {
  if (text.length <= most) return text;
  const where = artifact === undefined ? "" : `; the whole is kept as ${artifact}`;
  return `${text.slice(0, most).toWellFormed()}\n[${text.length - most} characters left out${where}]`;
}

/** Names the artifact that holds the result of a call, so that the result is not kept a second time. */
export const resultFields = (artifact: string | undefined): Pick<ToolResult, "fields"> =>
  artifact === undefined ? {} : { fields: { "tool.completed": { result_artifact_id: artifact } } };
