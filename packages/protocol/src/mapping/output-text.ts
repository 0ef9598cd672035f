/** The text of a tool's output, if there is text in it. Agents wrap it in lists and objects. */
export function outputTextOf(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) {
    const texts = output.flatMap((part) => outputTextOf(part) ?? []);
    return texts.length === 0 ? undefined : texts.join("\n");
  }
  if (typeof output !== "object" || output === null) return undefined;
  const { text, output: inner, stdout, content } = output as Record<string, unknown>;
  return outputTextOf(text ?? inner ?? stdout ?? content);
}
