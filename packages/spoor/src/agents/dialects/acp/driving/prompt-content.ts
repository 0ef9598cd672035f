import { pathToFileURL } from "node:url";
import { asObject, type Json } from "../../../kit/json-values.ts";
import type { Attachment } from "../../../machine.ts";

/** A prompt with its attachments, each in the best form that the agent supports. All agents support links. */
export function contentOf(text: string, attachments: readonly Attachment[] = [], capabilities: Json): object[] {
  const takes = asObject(capabilities.promptCapabilities) ?? {};
  return [{ type: "text", text }, ...attachments.map((attachment) => block(attachment, takes))];
}

function block(attachment: Attachment, takes: Json): object {
  const { name, mimeType } = attachment;
  if (!("base64" in attachment)) return { type: "resource_link", uri: attachment.url, name, mimeType };
  const { base64: data, path } = attachment;
  const uri = path === undefined ? undefined : pathToFileURL(path).href;
  const [kind = ""] = mimeType.split("/");
  if ((kind === "image" || kind === "audio") && takes[kind] === true) {
    return { type: kind, data, mimeType, ...(kind === "image" && uri !== undefined && { uri }) };
  }
  if (takes.embeddedContext === true) {
    const resource = { uri: uri ?? `attachment:///${encodeURIComponent(name)}`, mimeType };
    return {
      type: "resource",
      resource: { ...resource, ...(isText(mimeType) ? { text: decoded(data) } : { blob: data }) },
    };
  }
  return { type: "resource_link", uri: uri ?? `data:${mimeType};base64,${data}`, name, mimeType };
}

const isText = (mimeType: string): boolean => /^text\/|[/+](json|xml|yaml|javascript|typescript)$/.test(mimeType);

const decoded = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
