import type { Node } from "./parser.ts";

const MAX_BYTES = 8 * 1024;

/** Says why a text cannot be read at all, before it is parsed. */
export function unreadText(text: string): string | undefined {
  if (Buffer.byteLength(text) > MAX_BYTES) return "It is longer than 8 KiB.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return "It has a control character.";
  if (/[\p{Zl}\p{Zp}\p{Cf}\p{Cs}]|(?! )\p{Zs}/u.test(text)) return "It has an invisible character or an unusual space.";
  if (/(?<![ \t])\\\n/.test(text)) return "A line is continued inside a word.";
  return undefined;
}

/** Types whose text is not expanded. */
const inert = ["raw_string", "ansi_c_string", "comment"];
const substitutions = [
  "command_substitution",
  "process_substitution",
  "arithmetic_expansion",
  "string",
  "heredoc_redirect",
  "subshell",
  "compound_statement",
];

/**
 * Looks for substitutions in the text that the tree does not have. The parser knows more than one shell and forgives
 * much, so the text is read a second time by simpler rules: where both do not agree, nothing is judged.
 */
export function unseenSubstitution(root: Node, source: string): string | undefined {
  const skip: [number, number][] = [];
  for (const node of root.descendantsOfType([...inert, "heredoc_redirect"])) {
    if (!node) continue;
    if (node.type === "comment" && node.startIndex > 0 && !/[\s;&|()]/.test(source[node.startIndex - 1] ?? ""))
      return "A comment begins inside a word.";
    if (node.type !== "heredoc_redirect") skip.push([node.startIndex, node.endIndex]);
    else {
      const start = node.namedChildren.find((child) => child?.type === "heredoc_start");
      const body = node.namedChildren.find((child) => child?.type === "heredoc_body");
      if (body && /['"\\]/.test(start?.text ?? "")) skip.push([body.startIndex, body.endIndex]);
    }
  }
  const known = new Set<number>();
  for (const node of root.descendantsOfType(substitutions)) {
    if (!node) continue;
    known.add(node.startIndex);
    if (!node.text.startsWith("`")) continue;
    known.add(node.endIndex - 1);
    if (node.text.includes("\\")) return "Backquotes hold a backslash.";
  }
  for (const { index, 0: found } of source.matchAll(/\$\(|`|[<>=]\(|\$\[/g)) {
    if (known.has(index) || skip.some(([from, to]) => index >= from && index < to)) continue;
    if (found === "=(" || (found !== "$[" && isEscaped(source, index))) continue;
    if (/^[<>]\($/.test(found) && isQuoted(root, index)) continue;
    return "It has a substitution that cannot be read.";
  }
  return undefined;
}

function isEscaped(source: string, index: number): boolean {
  const before = /\\*$/.exec(source.slice(0, index))?.[0] ?? "";
  return before.length % 2 === 1;
}

const isQuoted = (root: Node, index: number): boolean => {
  const type = root.descendantForIndex(index)?.type ?? "";
  return type === "string_content" || type === "string" || type === "heredoc_body" || type === "heredoc_content";
};
