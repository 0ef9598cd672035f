import { ANY, fits, folded, foldText, type Glob, NAME } from "./glob.ts";
import type { Rule } from "./rule.ts";

/** Returns whether a rule covers a name: a tool, `server/tool`, a model or a kind of task. */
export function coversText(rule: Rule, text: string): boolean {
  return globsOf(rule).some((glob) => fits(glob, text));
}

/** The same for rules that ask or block, for which letters of either case are the same. */
export function touchesText(rule: Rule, text: string): boolean {
  return globsOf(rule).some((glob) => fits(folded(glob), foldText(text)));
}

/** Names of models hold slashes, so `*` crosses them there. Between an MCP server and its tool it does not. */
function globsOf({ patterns, subject }: Rule): Glob[] {
  const globs = patterns.flatMap(({ alternatives }) => alternatives);
  return subject === "mcp" ? globs : globs.map((glob) => glob.map((token) => (token === NAME ? ANY : token)));
}
