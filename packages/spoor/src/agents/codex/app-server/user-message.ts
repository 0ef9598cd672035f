import { asArray, asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";

/** The echo of a prompt, complete: pictures were taken and skills are used. The words are those that were sent. */
export function userMessage({ content }: Json): Signal[] {
  return asArray(content).flatMap((part): Signal[] => {
    const { type, name, url, path } = asObject(part) ?? {};
    if (type === "skill" && asText(name)) {
      return [{ kind: "fact", fact: { type: "skill_invoked", skillName: asText(name) ?? "" } }];
    }
    if (type !== "image" && type !== "localImage") return [];
    return [{ kind: "fact", fact: { type: "image_input_ack", mimeType: mimeType(asText(url ?? path) ?? "") } }];
  });
}

const types: Record<string, string> = { jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

function mimeType(address: string): string {
  const inline = /^data:([\w/+.-]+)/.exec(address)?.[1];
  return inline ?? types[/\.(\w+)$/.exec(address)?.[1]?.toLowerCase() ?? ""] ?? "image/png";
}
