import { ANY, fits, folded, foldText, type Glob, NAME } from "./glob.ts";
import type { Rule } from "./rule.ts";

/** Returns whether a rule covers a name: a tool, `server/tool`, a model or a kind of task. */
export function coversText({ patterns }: Rule, text: string): boolean {
  return patterns.some(({ alternatives }) => alternatives.some((glob) => fits(wide(glob, text), text)));
}

/** The same for rules that ask or block, for which letters of either case are the same. */
export function touchesText({ patterns }: Rule, text: string): boolean {
  const found = foldText(text);
  return patterns.some(({ alternatives }) => alternatives.some((glob) => fits(folded(wide(glob, text)), found)));
}

/** Names of models hold slashes, so `*` crosses them, except between an MCP server and its tool. */
const wide = (glob: Glob, text: string): Glob =>
  glob.length === 1 && glob[0] === NAME && text.includes("/") ? [ANY] : glob;
