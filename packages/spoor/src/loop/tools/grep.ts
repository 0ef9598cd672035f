import { Type } from "@sinclair/typebox";
import { checkPattern } from "./glob.ts";
import { type BuiltInTool, defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { fileActions, pathInside } from "./kit/place.ts";
import { type SearchOptions, searchLimits, searchTimeMs, startSearch } from "./kit/search.ts";
import type { ToolContext } from "./tool.ts";

const MAX_SHOWN = 200;
const MAX_COUNTED = 2_000;

/** Finds lines of files. */
export const createGrep = (options: SearchOptions = {}): BuiltInTool =>
  defineTool({
    name: "grep",
    kind: "grep",
    effect: "read",
    description: `Finds lines of the workspace's text files that fit a regular expression (of JavaScript). Each result is path:line: text. Files that git ignores, .git, links, binary files, files of more than ${searchLimits.fileBytes / 1024 ** 2} MiB and files that rules protect are left out. Shows up to ${MAX_SHOWN} lines.`,
    about: {
      does: "finds lines by a regular expression, in a thread that is ended when its time is over",
      limits: `${MAX_SHOWN} lines are shown, ${MAX_COUNTED.toLocaleString("en")} counted; files up to ${searchLimits.fileBytes / 1024 ** 2} MiB; ${searchLimits.entries.toLocaleString("en")} entries and ${searchTimeMs / 1000} s are searched`,
      rules: "`read` of the folder, and of every file with a match: a file that is not allowed is left out",
    },
    input: inputOf({
      pattern: Type.String({ minLength: 1, maxLength: 1_000, description: "The regular expression." }),
      path: Type.Optional(Type.String({ minLength: 1, description: "The folder or file. Default: the workspace." })),
      include: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1_000, description: "Only files whose names fit, such as *.{ts,tsx}." }),
      ),
      literal: Type.Optional(Type.Boolean({ description: "Takes the pattern as plain text. Default: false." })),
      ignore_case: Type.Optional(Type.Boolean({ description: "Letters of either case fit. Default: false." })),
    }),
    actions: ({ path = "." }, place) => fileActions(place, "read", "grep", [path]),
    async run({ pattern, path = ".", include, literal, ignore_case }, context) {
      const start = pathInside(context, path);
      if (include !== undefined) checkPattern(include);
      const expression = expressionOf(pattern, literal === true, ignore_case === true);
      const matches: { path: string; line: number; text: string }[] = [];
      let [count, files] = [0, 0];
      const search = { start, expression, ...(include !== undefined && { names: include }) };
      const end = await startSearch(context, search, options, (message) => {
        if (message.type !== "lines" || !mayRead(context, message.path)) return true;
        count += message.count;
        files += 1;
        const shown = message.lines.slice(0, MAX_SHOWN - matches.length);
        matches.push(...shown.map((line) => ({ path: message.path, ...line })));
        return count < MAX_COUNTED;
      });
      const truncated = end.isCut || count > matches.length;
      const total = `${count}${end.isCut ? " or more" : ""}`;
      const lines = matches.map((match) => `${match.path}:${match.line}: ${match.text}`);
      if (count === 0) lines.push(`No line fits ${pattern}.`);
      if (count > matches.length)
        lines.push(`[${total} lines in ${files} files; only the first ${matches.length} are shown.]`);
      return {
        output: [...lines, ...end.notes].join("\n"),
        summary: `${total} lines in ${files} files fit ${pattern}`,
        fields: {
          "tool.grep.completed": { files_searched: end.searched, matches, match_count: count, truncated },
        },
      };
    },
  });

/** A search of a folder must not show what the rules protect in it. Nothing tells that such a file has a match. */
const mayRead = ({ root, decide }: ToolContext, file: string): boolean =>
  decide({ subject: "read", cwd: root, tool: "grep", paths: [`${root}/${file}`] }).decision === "allow";

function expressionOf(pattern: string, isLiteral: boolean, ignoresCase: boolean): { source: string; flags: string } {
  const flags = ignoresCase ? "i" : "";
  const source = isLiteral ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : pattern;
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw new ToolProblem(`${(error as Error).message}. Set literal to search for plain text.`);
  }
  return { source, flags };
}
