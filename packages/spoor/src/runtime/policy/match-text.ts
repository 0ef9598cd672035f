import { ANY, fits, folded, foldText, type Glob, NAME } from "./glob.ts";
import type { Rule } from "./rule.ts";

/** Returns whether a rule covers a name: a tool, `server/tool`, a model or a kind of task. */
export function coversText(rule: Rule, text: string): boolean {
  return globsOf(rule).some((glob) => fits(glob, text));
}

/**
 * The same for rules that ask or block, for which letters of either case are the same, and which hold for a model of every
 * provider if they name none.
 */
export function touchesText(rule: Rule, text: string): boolean {
  const names = rule.subject === "model" ? [text, withoutProvider(text)] : [text];
  return globsOf(rule).some((glob) => names.some((name) => fits(folded(glob), foldText(name))));
}

/** The name of a model without its provider: `gpt-5` of `openai/gpt-5`. */
export const withoutProvider = (model: string): string => model.slice(model.indexOf("/") + 1);

/** Names of models hold slashes, so `*` crosses them there. Between an MCP server and its tool it does not. */
function globsOf({ patterns, subject }: Rule): Glob[] {
  const globs = patterns.flatMap(({ alternatives }) => alternatives);
  return subject === "mcp" ? globs : globs.map((glob) => glob.map((token) => (token === NAME ? ANY : token)));
}
