import { resolve } from "node:path";
import { writtenFile } from "../../../kit/file-facts.ts";
import { asObject } from "../../../kit/json-values.ts";
import type { FileFact } from "../../../signal.ts";
import type { Sessions } from "../session/open-sessions.ts";
import { fileOf } from "./call-content.ts";
import type { Call } from "./call-state.ts";

interface Write {
  file: FileFact;
  /** The call that wrote the file, if it is known. */
  call: Call | undefined;
}

/** The number of file contents that are kept to compute diffs. */
const MAX_TEXTS = 64;

/**
 * Collects what calls did to files: from the agent's reports, or else from what the client wrote. Each change is
 * reported once. `running` returns the calls that may still write.
 */
export function createFiles(sessions: Sessions, running: () => Call[]) {
  let untold: Write[] = [];
  /** Contents of files as the client last saw them: an empty string if unknown, `null` if there was no file. */
  const texts = new Map<string, string | null>();

  /** The client wrote a file, for the call that names it, or else for the last call that may write. */
  function wrote(path: string, text: string): void {
    const calls = running();
    const call = calls.findLast((one) => names(one, path)) ?? calls.findLast(({ toolKind }) => writers.has(toolKind));
    untold.push({ file: writtenFile(path, text, texts.get(path)), call });
    saw(path, text);
  }

  function saw(path: string, text: string | null): void {
    texts.delete(path);
    texts.set(path, text);
    const [oldest] = texts.keys();
    if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest);
  }

  function of(call: Call): FileFact[] {
    const { diffs, paths, toolKind, acpKind } = call;
    const changed = diffs.map((diff) => fileOf(diff, acpKind === "delete"));
    const reported = new Set(changed.map(({ path }) => placeOf(path)));
    const own = take((write) => write.call === call || (isUnclaimed(write) && names(call, write.file.path)));
    const more = own.filter(({ path }) => !reported.has(placeOf(path)));
    const op = toolKind === "file_read" ? "read" : acpKind === "delete" && diffs.length === 0 ? "delete" : undefined;
    return [...(op ? paths.map((path): FileFact => ({ op, path })) : changed), ...more];
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

  /** `takeUnclaimed` returns the changes that no call will report. */
  return { wrote, saw, of, takeUnclaimed: () => take(isUnclaimed) };
}

const isUnclaimed = ({ call }: Write): boolean => call === undefined || call.isOver === true;

/** Kinds of calls that may write a file without naming it. */
const writers = new Set<string>(["edit", "multi_edit", "file_write", "other", "mcp", "subagent"]);
