import type { Node } from "./parser.ts";

/** Finds the end of a heredoc by the rules of bash, and says if the tree has it elsewhere. */
export function heredocProblem(node: Node, source: string): string | undefined {
  const start = node.namedChildren.find((child) => child?.type === "heredoc_start");
  const end = node.namedChildren.find((child) => child?.type === "heredoc_end");
  const body = node.namedChildren.find((child) => child?.type === "heredoc_body");
  const named = /^(?:'(\w+)'|"(\w+)"|\\?(\w+))$/.exec(start?.text ?? "");
  const mark = named?.[1] ?? named?.[2] ?? named?.[3];
  if (start === undefined || start === null || end === undefined || end === null || mark === undefined)
    return "A heredoc cannot be read.";
  if (/[^\s;&|<>)]/.test(source[start.endIndex] ?? "\n")) return "The mark of a heredoc cannot be read.";
  const isIndented = node.text.replace(/^\d+/, "").startsWith("<<-");
  let at = source.indexOf("\n", start.endIndex) + 1;
  if (at === 0) return "A heredoc has no end.";
  while (at < source.length) {
    const newline = source.indexOf("\n", at);
    const line = source.slice(at, newline < 0 ? source.length : newline);
    const bare = isIndented ? line.replace(/^\t+/, "") : line;
    if (bare === mark) {
      const found = end.startIndex + end.text.length - end.text.trimStart().length;
      return found === at + line.length - bare.length && end.text.trim() === mark
        ? bodyProblem(body, start.text, source)
        : "A heredoc ends elsewhere than it seems.";
    }
    if (newline < 0) break;
    at = newline + 1;
  }
  return "A heredoc has no end.";
}

/** Without quotes around the mark, bash runs the substitutions in the body: the tree must have them all. */
function bodyProblem(body: Node | null | undefined, start: string, source: string): string | undefined {
  if (!body || /['"\\]/.test(start)) return undefined;
  let rest = "";
  let at = body.startIndex;
  for (const child of body.namedChildren) {
    if (!child || child.type === "heredoc_content") continue;
    rest += `${source.slice(at, child.startIndex)} `;
    at = child.endIndex;
  }
  rest += source.slice(at, body.endIndex);
  return /(^|[^\\])(\\\\)*(`|\$[({])/.test(rest) || rest.includes("\\\n")
    ? "A heredoc holds a substitution that cannot be read."
    : undefined;
}
