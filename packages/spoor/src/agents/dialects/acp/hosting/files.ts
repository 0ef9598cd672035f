import { resolve } from "node:path";
import { asObject } from "../../../json-machine.ts";
import type { FileFact } from "../../../signal.ts";
import type { Call } from "../calls/call.ts";
import { fileOf } from "../calls/content.ts";
import type { Sessions } from "../connection/open-sessions.ts";

interface Write {
  file: FileFact;
  /** Whose it is, as far as that is known. */
  call: Call | undefined;
}

export type Files = ReturnType<typeof createFiles>;

/** What calls did to files: told by the agent or, where it is silent, by what the client wrote. Each is told once. */
export function createFiles(sessions: Sessions) {
  let untold: Write[] = [];

  /** The client wrote a file: for the call that names it, else for the last one that may write. */
  function wrote(file: FileFact, running: readonly Call[]): void {
    const named = running.findLast((call) => names(call, file.path));
    untold.push({ file, call: named ?? running.findLast(({ toolKind }) => writers.has(toolKind)) });
  }

  function of(call: Call): FileFact[] {
    const { diffs, paths, toolKind, acpKind } = call;
    const files = diffs.map((diff) => fileOf(diff, acpKind === "delete"));
    const told = new Set(files.map(({ path }) => placeOf(path)));
    const own = take((write) => write.call === call || (isUnclaimed(write) && names(call, write.file.path)));
    const written = own.filter(({ path }) => !told.has(placeOf(path)));
    if (toolKind === "file_read") return [...paths.map((path): FileFact => ({ op: "read", path })), ...written];
    if (acpKind !== "delete" || files.length > 0) return [...files, ...written];
    return [...paths.map((path): FileFact => ({ op: "delete", path })), ...written];
  }

  function take(isTaken: (write: Write) => boolean): FileFact[] {
    if (untold.length === 0) return [];
    const taken = untold.filter(isTaken);
    untold = untold.filter((write) => !taken.includes(write));
    return taken.map(({ file }) => file);
  }

  function names({ paths, diffs, input }: Call, path: string): boolean {
    const named = [...paths, ...diffs.map((diff) => diff.path), ...Object.values(asObject(input) ?? {})];
    return named.some((name) => typeof name === "string" && placeOf(name) === placeOf(path));
  }

  const placeOf = (path: string): string => resolve(sessions.current?.cwd ?? "/", path);

  /** `takeUnclaimed` gives what no call will tell. */
  return { wrote, of, takeUnclaimed: () => take(isUnclaimed) };
}

const isUnclaimed = ({ call }: Write): boolean => call === undefined || call.isOver === true;

/** Kinds of calls that a write may be of though they do not name the file. */
const writers = new Set<string>(["edit", "multi_edit", "file_write", "other", "mcp", "subagent"]);
