import { Type } from "@sinclair/typebox";
import { type BuiltInTool, defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { fileActions, pathInside } from "./kit/place.ts";
import { type SearchOptions, searchLimits, searchTimeMs, startSearch } from "./kit/search.ts";
import { namePattern } from "./search/name-pattern.ts";

const MAX_SHOWN = 500;

/** Finds files by their names. */
export const createGlob = (options: SearchOptions = {}): BuiltInTool =>
  defineTool({
    name: "glob",
    kind: "glob",
    effect: "read",
    description: `Finds files of the workspace by their names. A pattern without a slash, such as *.ts, is about names in all folders; src/**/*.ts is about paths. It knows *, **, ?, [a-z] and {a,b}. Files that git ignores, .git and links are left out. Shows up to ${MAX_SHOWN} paths.`,
    about: {
      does: "finds files by name; leaves out what git ignores, `.git` and links",
      limits: `${MAX_SHOWN} paths are shown; ${searchLimits.entries.toLocaleString("en")} entries and ${searchTimeMs / 1000} s are searched`,
      rules: "`read` of the folder",
    },
    input: inputOf({
      pattern: Type.String({ minLength: 1, maxLength: 1_000, description: "The pattern of the names." }),
      path: Type.Optional(
        Type.String({
          minLength: 1,
          description: "The folder to search in. The pattern is relative to it. Default: the workspace.",
        }),
      ),
    }),
    actions: ({ path = "." }, place) => fileActions(place, "read", "glob", [path]),
    async run({ pattern, path = "." }, context) {
      const start = pathInside(context, path);
      checkPattern(pattern);
      const matches: string[] = [];
      let count = 0;
      const end = await startSearch(context, { start, names: pattern }, options, (message) => {
        if (message.type !== "names") return true;
        count += message.paths.length;
        matches.push(...message.paths.slice(0, MAX_SHOWN - matches.length));
        return true;
      });
      const truncated = end.isCut || count > matches.length;
      const notes = [
        ...(count > matches.length ? [`[${count} files; only the first ${MAX_SHOWN} are shown.]`] : []),
        ...end.notes,
      ];
      const output = [...(count === 0 ? [`No file fits ${pattern}.`] : matches), ...notes].join("\n");
      return {
        output,
        summary: `${count} files fit ${pattern}`,
        fields: { "tool.glob.completed": { matches, match_count: count, truncated } },
      };
    },
  });

/** Says what is wrong with a pattern of names. */
export function checkPattern(pattern: string): void {
  try {
    namePattern(pattern);
  } catch (error) {
    throw new ToolProblem((error as Error).message);
  }
}
