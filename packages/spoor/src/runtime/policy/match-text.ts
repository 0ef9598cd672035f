import { ANY, folded, foldText, type Glob, globOf, meets, NAME } from "./glob.ts";
import type { Rule } from "./rule.ts";

/** Returns whether a rule covers a name: a tool, `server/tool`, a model or a kind of task. */
export function coversText({ patterns }: Rule, text: string): boolean {
  return patterns.some(({ alternatives }) => alternatives.some((glob) => meets(wide(glob, text), globOf(text))));
}

/** The same for rules that ask or block, for which letters of either case are the same. */
export function touchesText({ patterns }: Rule, text: string): boolean {
  const found = globOf(foldText(text));
  return patterns.some(({ alternatives }) => alternatives.some((glob) => meets(folded(wide(glob, text)), found)));
}

/** Names of models hold slashes, so `*` crosses them, except between an MCP server and its tool. */
const wide = (glob: Glob, text: string): Glob =>
  glob.length === 1 && glob[0] === NAME && text.includes("/") ? [ANY] : glob;
