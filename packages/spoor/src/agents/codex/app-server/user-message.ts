import { imageInputAck, skillInvoked } from "../../kit/fact-signals.ts";
import { asObjects, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import type { Signal } from "../../signal.ts";

/**
 * The echo of a prompt: it reports the images that were received and the skills that are used. The text is already
 * known.
 */
export function userMessage({ content }: Json): Signal[] {
  return asObjects(content).flatMap(({ type, name, url, path }) => {
    if (type === "skill" && asText(name)) return [skillInvoked(asText(name) ?? "")];
    return type === "image" || type === "localImage" ? [imageInputAck(mimeType(asText(url ?? path) ?? ""))] : [];
  });
}

const types: Record<string, string> = { jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

function mimeType(address: string): string {
  const inline = /^data:([\w/+.-]+)/.exec(address)?.[1];
  return inline ?? lookUp(types, /\.(\w+)$/.exec(address)?.[1]?.toLowerCase() ?? "") ?? "image/png";
}
