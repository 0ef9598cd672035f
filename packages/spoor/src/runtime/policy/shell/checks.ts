import type { Node } from "./parser.ts";

const MAX_BYTES = 8 * 1024;

/** Says why a text cannot be read at all, before it is parsed. */
export function unreadText(text: string): string | undefined {
  if (Buffer.byteLength(text) > MAX_BYTES) return "It is longer than 8 KiB.";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return "It has a control character.";
  if (/[\p{Zl}\p{Zp}\p{Cf}\p{Cs}]|(?! )\p{Zs}/u.test(text)) return "It has an invisible character or an unusual space.";
  if (/(?:^|[^ \t]|\\[ \t])\\\n/.test(text)) return "A line is continued inside a word.";
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

/** Nodes whose text between their children is a part of them. */
const textual = new Set(
  "string expansion arithmetic_expansion concatenation word raw_string ansi_c_string translated_string heredoc_body regex extglob_pattern number array subscript binary_expression unary_expression parenthesized_expression ternary_expression postfix_expression test_command brace_expression".split(
    " ",
  ),
);

/** Looks for text that the tree skips. The parser takes some escaped spaces and dashes for nothing. */
export function skippedText(node: Node, source: string): string | undefined {
  if (node.type === "file_descriptor") {
    const isApart = node.startIndex === 0 || /[\s;&|()<>]/.test(source[node.startIndex - 1] ?? "");
    if (!isApart || !/^(\d+|\{\w+\})$/.test(node.text)) return "A redirection cannot be read.";
  }
  if (node.type === "test_command" && !/^(\(\(|\[\[?\s).*(\)\)|\s\]\]?)$/s.test(node.text))
    return "A test cannot be read.";
  if (node.type === "simple_expansion" && !/^\$(\w+|[@*#?$!-])$/.test(node.text)) return "A variable cannot be read.";
  if (node.type === "expansion" && !/^\$\{\S/.test(node.text)) return "A variable cannot be read.";
  // The parser takes a dash before some operators for a part of them.
  if (!node.isNamed && node.childCount === 0 && node.text.trim() !== node.type.trim())
    return "An operator cannot be read.";
  if (node.type === "compound_statement" && !/^(\{\s|\(\()/.test(node.text)) return "A group cannot be read.";
  if (node.type === "variable_assignment" && !/^[A-Za-z_]\w*(\[.*\])?\+?=/s.test(node.text))
    return "An assignment cannot be read.";
  if (node.type === "negated_command" && !/^!\s/.test(node.text)) return "A negation cannot be read.";
  // A number before a redirection belongs to it, and is no word.
  const isRedirect = node.type.endsWith("_redirect");
  if (isRedirect && /(^|[\s;&|()])(\d+|\{\w+\})$/.test(source.slice(0, node.startIndex)))
    return "A redirection cannot be read.";
  const isRoot = node.parent === null;
  let at = isRoot ? 0 : node.startIndex;
  for (const child of node.children) {
    if (!child) continue;
    if (!textual.has(node.type) && !/^(\s|\\\n)*$/.test(source.slice(at, child.startIndex)))
      return "A part of it cannot be read.";
    at = Math.max(at, child.endIndex);
    const problem = skippedText(child, source);
    if (problem !== undefined) return problem;
  }
  const rest = source.slice(at, isRoot ? source.length : node.endIndex);
  return node.childCount === 0 || textual.has(node.type) || /^(\s|\\\n)*$/.test(rest)
    ? undefined
    : "The end of it cannot be read.";
}

function isEscaped(source: string, index: number): boolean {
  const before = /\\*$/.exec(source.slice(0, index))?.[0] ?? "";
  return before.length % 2 === 1;
}

const isQuoted = (root: Node, index: number): boolean => {
  const type = root.descendantForIndex(index)?.type ?? "";
  return type === "string_content" || type === "string" || type === "heredoc_body" || type === "heredoc_content";
};
