import { isObject } from "../../options/checks.ts";
import type { KeptContent, ToolContext, ToolResult } from "../tools/tool.ts";

/**
 * Turns the result of a call into what the model reads. Texts are passed on; images, sounds and binary resources are kept
 * as artifacts, and the model reads what was kept. Structured content is read where there is no text.
 */
export async function readResult(
  result: Readonly<Record<string, unknown>>,
  { keep }: Pick<ToolContext, "keep">,
): Promise<ToolResult> {
  const content = Array.isArray(result.content) ? result.content : [];
  const parts: string[] = [];
  for (const block of content.slice(0, MAX_BLOCKS)) parts.push(await readBlock(block, keep));
  if (content.length > MAX_BLOCKS) parts.push(`[${content.length - MAX_BLOCKS} more parts were left out]`);
  const hasText = content.some((block) => isObject(block) && block.type === "text");
  if (result.structuredContent !== undefined && !hasText) parts.push(JSON.stringify(result.structuredContent));
  const output = parts.join("\n");
  if (result.isError === true) {
    const error = output === "" ? "The tool reported an error without a message." : output;
    return { output: "", summary: oneLine(error), error, protocol: false };
  }
  return { output: output === "" ? "(no output)" : output, summary: oneLine(output) };
}

const MAX_BLOCKS = 200;

async function readBlock(block: unknown, keep: ToolContext["keep"]): Promise<string> {
  if (!isObject(block)) return JSON.stringify(block) ?? "";
  const { type, text, data, mimeType, resource, uri, name, description } = block;
  if (type === "text") return String(text ?? "");
  if (type === "image" || type === "audio") {
    const kind = type === "image" ? "image" : "tool_result_blob";
    return keepBytes(keep, { kind, mime: String(mimeType ?? "application/octet-stream") }, data, type);
  }
  if (type === "resource" && isObject(resource)) {
    const address = String(resource.uri ?? "");
    if (typeof resource.text === "string") return `[resource ${address}]\n${resource.text}`;
    const mime = String(resource.mimeType ?? "application/octet-stream");
    const kind = mime.startsWith("image/") ? "image" : "tool_result_blob";
    return keepBytes(keep, { kind, mime, name: address }, resource.blob, `resource ${address}`);
  }
  if (type === "resource_link")
    return `[resource ${String(name ?? "")}: ${String(uri)}]${description === undefined ? "" : ` ${String(description)}`}`;
  return JSON.stringify(block);
}

async function keepBytes(
  keep: ToolContext["keep"],
  content: Omit<KeptContent, "bytes">,
  base64: unknown,
  what: string,
): Promise<string> {
  if (typeof base64 !== "string" || !/^[A-Za-z0-9+/_=\s-]*$/.test(base64)) return `[${what} that cannot be read]`;
  const bytes = Buffer.from(base64, "base64");
  const artifact = await keep({ ...content, bytes });
  const where = artifact === undefined ? "not kept, because it is too large" : `kept as ${artifact}`;
  return `[${what}, ${content.mime}, ${bytes.length} bytes, ${where}]`;
}

const oneLine = (text: string): string => {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
};
