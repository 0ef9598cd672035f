/** A table whose cells are already Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");
}

/** GitHub splits cells at a bare `|` even inside code. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export const code = (text: string): string => `\`${text}\``;

export const codes = (texts: readonly unknown[]): string => texts.map((text) => code(String(text))).join(", ");

/** A heading with an explicit id, so that links do not depend on how a site derives ids from headings. */
export const heading = (level: number, text: string, id: string): string =>
  `<a id="${id}"></a>\n\n${"#".repeat(level)} ${text}`;

export const link = (text: string, id: string): string => `[${text}](#${id})`;

export const eventLink = (type: string): string => link(code(type), eventId(type));
export const typeLink = (type: string): string => link(code(type), typeId(type));

export const eventId = (type: string): string => `event-${type}`;
export const typeId = (type: string): string => `type-${type}`;
export const mappingId = (type: string): string => `map-${type}`;
export const originId = (type: string): string => `origin-${type}`;
