import type { Search, SearchLimits, SearchMessage } from "../search/search-files.ts";
import type { ToolContext } from "../tool.ts";
import { ToolProblem } from "./define-tool.ts";
import { runInThread } from "./thread.ts";

export const searchTimeMs: number = 20_000;

export const searchLimits: SearchLimits = {
  entries: 1_000_000,
  depth: 100,
  fileBytes: 2 * 1024 * 1024,
  linesOfFile: 200,
  lineLength: 300,
  matches: 1_000_000,
};

/** Tests make the limits smaller. */
export interface SearchOptions {
  timeoutMs?: number;
  limits?: Partial<SearchLimits>;
}

/** How a search ended. `notes` tell the model what is missing. */
export interface SearchEnd {
  searched: number;
  isCut: boolean;
  notes: string[];
  /** There is nothing to search in. */
  isMissing?: boolean;
}

/** Searches in a thread of its own. What is found before the time is over counts. */
export async function startSearch(
  { root, signal }: Pick<ToolContext, "root" | "signal">,
  search: Pick<Search, "start" | "names" | "expression">,
  { timeoutMs = searchTimeMs, limits = {} }: SearchOptions,
  onMessage: (message: SearchMessage) => boolean,
): Promise<SearchEnd> {
  const all = { ...searchLimits, ...limits };
  const end: SearchEnd = { searched: 0, isCut: false, notes: [] };
  let hasFound = false;
  const outcome = await runInThread<SearchMessage>(
    { kind: "search", root, ...search, limits: all },
    {
      ...{ timeoutMs, signal },
      onMessage(message) {
        if (message.type !== "end") {
          hasFound = true;
          return onMessage(message);
        }
        if (message.isMissing) end.isMissing = true;
        end.searched = message.searched;
        end.isCut = message.isCut;
        if (message.skipped > 0) {
          end.notes.push(`[${message.skipped} files of more than ${all.fileBytes} bytes were not searched.]`);
        }
        if (message.isCut) end.notes.push("[There are too many files or matches. Search in a smaller folder.]");
        return true;
      },
    },
  );
  if (end.isMissing) {
    throw new ToolProblem(`${search.start} is no file or folder of the workspace. Links are not followed.`);
  }
  if (outcome === "timed_out") {
    const why = `The search was stopped after ${timeoutMs / 1000} s. Use a simpler pattern or a smaller folder.`;
    if (!hasFound) throw new ToolProblem(why, "timed_out");
    end.isCut = true;
    end.notes.push(`[${why} What was found until then is shown.]`);
  }
  if (outcome === "stopped") end.isCut = true;
  return end;
}
