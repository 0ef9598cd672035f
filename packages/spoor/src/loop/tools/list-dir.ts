import { lstat, opendir } from "node:fs/promises";
import { Type } from "@sinclair/typebox";
import { openFolder } from "../../runtime/artifacts/beneath.ts";
import { defineTool, inputOf, ToolProblem } from "./kit/define-tool.ts";
import { fileActions, pathInside } from "./kit/place.ts";

const MAX_SHOWN = 1_000;
const MAX_COUNTED = 100_000;

/** Lists a folder. */
export const listDir = defineTool({
  name: "list_dir",
  kind: "glob",
  effect: "read",
  description:
    "Lists the entries of one folder of the workspace, sorted by name. Folders end with a slash, and files are followed by their size. Use glob to find files in all folders.",
  about: {
    does: "lists one folder",
    limits: `${MAX_SHOWN} entries are shown, ${MAX_COUNTED} counted`,
    rules: "`read` of the folder",
  },
  input: inputOf({
    path: Type.Optional(
      Type.String({ minLength: 1, description: "The folder, relative to the workspace. Default: the workspace." }),
    ),
  }),
  actions: ({ path = "." }, place) => fileActions(place, "read", "list_dir", [path]),
  async run({ path = "." }, context) {
    const name = pathInside(context, path);
    // The name of an entry that need not exist: what is opened is its folder.
    const folder = await openFolder(context.root, name === "." ? "entry" : `${name}/entry`);
    if (!folder) throw new ToolProblem(`There is no folder ${name}.`);
    const names: string[] = [];
    const lines: string[] = [];
    let isMore = false;
    try {
      for await (const entry of await opendir(folder.at("."))) {
        if (names.length === MAX_COUNTED) isMore = true;
        if (isMore || context.signal.aborted) break;
        names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
      }
      names.sort();
      for (const each of names.slice(0, MAX_SHOWN)) {
        lines.push(each.endsWith("/") ? each : `${each}${await detailOf(folder.at(each))}`);
      }
    } finally {
      await folder.close();
    }
    const truncated = names.length > lines.length;
    const total = `${names.length}${isMore ? " or more" : ""}`;
    if (truncated) lines.push(`[${total} entries; only the first ${MAX_SHOWN} are shown. Use glob to find others.]`);
    const pattern = name === "." ? "*" : `${name}/*`;
    const matches = names.slice(0, MAX_SHOWN).map((each) => (name === "." ? each : `${name}/${each}`));
    return {
      output: lines.length === 0 ? `${name} is empty.` : lines.join("\n"),
      summary: `listed ${name}: ${total} entries`,
      events: [
        [
          "tool.glob.completed",
          { tool_call_id: context.callId, pattern, matches, match_count: names.length, truncated },
        ],
      ],
    };
  },
});

async function detailOf(file: string): Promise<string> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return "";
  if (found.isSymbolicLink()) return " (a link, which is not followed)";
  return found.isFile() ? ` (${found.size} bytes)` : " (not a regular file)";
}
