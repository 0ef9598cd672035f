import { asObjects, asText } from "./json-values.ts";

/** The words of a message or a result: text as it is, or that of its blocks, of which some have none. */
export function textOfContent(content: unknown, between = ""): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .flatMap(({ text }) => asText(text) || [])
    .join(between);
}
