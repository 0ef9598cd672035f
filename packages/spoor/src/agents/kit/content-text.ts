import { asObjects, asText } from "./json-values.ts";

/**
 * The text of a message or a result: the string itself, or the text of its blocks. Blocks without text are skipped.
 *
 * @example
 * textOfContent("Hello"); // "Hello"
 * textOfContent([{ type: "text", text: "Hel" }, { type: "image" }, { type: "text", text: "lo" }]); // "Hello"
 */
export function textOfContent(content: unknown, between = ""): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .flatMap(({ text }) => asText(text) || [])
    .join(between);
}
