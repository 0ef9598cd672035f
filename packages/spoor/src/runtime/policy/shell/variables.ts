import type { Node } from "./parser.ts";
import { readWords, type ShellWord, Unreadable, wordOf } from "./word.ts";

/** Commands that set variables in other ways than by an assignment. */
const setting =
  /^(read|mapfile|readarray|getopts|let|declare|typeset|local|readonly|export|unset|printf|eval|source|\.|select|wait|coproc)$/;

/**
 * Finds the variables whose value is certain: assigned once, by a literal, in a statement that always runs before their
 * use. If anything else in the text could set variables, only HOME is known.
 */
export function knownVariables(root: Node, source: string, home: string, cwd: string): ReadonlyMap<string, ShellWord> {
  const known = new Map<string, ShellWord>([["HOME", wordOf(home)]]);
  const commands = root.descendantsOfType(["command_name", "declaration_command", "unset_command"]);
  const names = commands.map((node) => /^\S*/.exec(node?.text ?? "")?.[0] ?? "");
  if (!names.some((name) => /^(cd|pushd|popd|chdir)$/.test(name))) known.set("PWD", wordOf(cwd));
  if (names.some((name) => setting.test(name) || /[$`\\'"]/.test(name))) return known;
  const arithmetic = root.descendantsOfType(["arithmetic_expansion", "c_style_for_statement", "function_definition"]);
  if (arithmetic.length > 0 || source.includes("((")) return known;
  const assigned = root.descendantsOfType(["variable_assignment", "for_statement"]);
  for (const node of assigned) {
    const name = node ? nameOf(node) : "";
    if (!node || name === "" || assigned.filter((other) => other && nameOf(other) === name).length > 1) continue;
    const value =
      node.type === "for_statement" ? loopValue(node) : isCertain(node, root) ? node.childForFieldName("value") : null;
    const isEarlierUse = new RegExp(`\\$\\{?${name}\\b`).test(source.slice(0, value?.endIndex ?? 0));
    if (!value || value.type === "array" || isEarlierUse || /^\w+\+=/.test(node.text)) continue;
    try {
      const words = readWords(value, source, known, home);
      const [word] = words;
      if (words.length === 1 && word) known.set(name, word);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }
  return known;
}

const nameOf = (node: Node): string =>
  (node.childForFieldName(node.type === "for_statement" ? "variable" : "name")?.text ?? "").replace(/\W.*/s, "");

/** A loop over one word sets its variable to that word, or to what the word expands to. */
function loopValue(node: Node): Node | null {
  const values = node.childrenForFieldName("value");
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** A statement of its own, or the first of a list, always runs. */
function isCertain(node: Node, root: Node): boolean {
  const parent = node.parent;
  if (parent?.id === root.id) return true;
  return parent?.type === "list" && parent.firstChild?.id === node.id && parent.parent?.id === root.id;
}
