import { parseSync, Visitor } from "vite";

/**
 * The source without its comments, blank lines and spaces at the ends of lines: what is left changes only with the
 * code. The text of strings and templates stays as it is.
 */
export function codeOnly(name: string, source: string): string {
  const { program, comments, errors } = parseSync(name, source);
  if (errors.length > 0) throw new Error(`${name} is not valid TypeScript: ${errors[0]?.message}`);
  const templates: { start: number; end: number }[] = [];
  new Visitor({ TemplateElement: (element) => templates.push(element) }).visit(program);
  const isInTemplate = (offset: number) => templates.some(({ start, end }) => offset >= start && offset < end);
  // Comments become spaces, so that the offsets stay true.
  let code = source;
  for (const { start, end } of comments) code = code.slice(0, start) + " ".repeat(end - start) + code.slice(end);
  const emptyLines = /[^\S\n]+(?=\n|$)|\n(?=[^\S\n]*(?:\n|$))/g;
  return code.replaceAll(emptyLines, (space, offset: number) => (isInTemplate(offset) ? space : "")).trim();
}
