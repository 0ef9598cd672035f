import { imageTaken, skillUsed } from "../../kit/facts.ts";
import { asObjects, asText, type Json } from "../../kit/json-machine.ts";
import { rowOf } from "../../kit/table.ts";
import type { Signal } from "../../signal.ts";

/** The echo of a prompt, complete: pictures were taken and skills are used. The words are those that were sent. */
export function userMessage({ content }: Json): Signal[] {
  return asObjects(content).flatMap(({ type, name, url, path }) => {
    if (type === "skill" && asText(name)) return [skillUsed(asText(name) ?? "")];
    return type === "image" || type === "localImage" ? [imageTaken(mimeType(asText(url ?? path) ?? ""))] : [];
  });
}

const types: Record<string, string> = { jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

function mimeType(address: string): string {
  const inline = /^data:([\w/+.-]+)/.exec(address)?.[1];
  return inline ?? rowOf(types, /\.(\w+)$/.exec(address)?.[1]?.toLowerCase() ?? "") ?? "image/png";
}
