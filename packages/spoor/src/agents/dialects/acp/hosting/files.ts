import { resolve } from "node:path";
import { asObject, type Json } from "../../../json-machine.ts";
import type { FileFact } from "../../../signal.ts";
import { fileOf } from "../calls/content.ts";

/** What of a call says which files it is about. */
interface FileCall {
  toolKind: string;
  acpKind: string;
  input: unknown;
  diffs: Json[];
  paths: string[];
  /** Files the client wrote for it. */
  written: FileFact[];
}

/** What calls did to files: told by the agent or, where it is silent, by what the client wrote. Each is told once. */
export class Files {
  readonly #cwd: () => string | undefined;
  /** Written for no call so far. */
  readonly #unclaimed: FileFact[] = [];

  constructor(cwd: () => string | undefined) {
    this.#cwd = cwd;
  }

  /** The client wrote a file: for the call that names it, else for the last one that may write. */
  wrote(file: FileFact, running: readonly FileCall[]): void {
    const named = running.findLast((call) => this.#names(call, file.path));
    const call = named ?? running.findLast(({ toolKind }) => writers.has(toolKind));
    (call?.written ?? this.#unclaimed).push(file);
  }

  /** The call tells no more of what was written for it. */
  leave({ written }: FileCall): void {
    this.#unclaimed.push(...written);
  }

  takeUnclaimed(): FileFact[] {
    return this.#unclaimed.splice(0);
  }

  of(call: FileCall): FileFact[] {
    const { diffs, paths, toolKind, acpKind } = call;
    const claimed = this.#unclaimed.filter(({ path }) => this.#names(call, path));
    for (const file of claimed) this.#unclaimed.splice(this.#unclaimed.indexOf(file), 1);
    const files = diffs.map((diff) => fileOf(diff, acpKind === "delete"));
    const told = new Set(files.map(({ path }) => this.#place(path)));
    const written = [...call.written, ...claimed].filter(({ path }) => !told.has(this.#place(path)));
    if (toolKind === "file_read") return [...paths.map((path): FileFact => ({ op: "read", path })), ...written];
    if (acpKind === "delete" && files.length === 0) {
      return [...paths.map((path): FileFact => ({ op: "delete", path })), ...written];
    }
    return [...files, ...written];
  }

  #names({ paths, diffs, input }: FileCall, path: string): boolean {
    const named = [...paths, ...diffs.map((diff) => diff.path), ...Object.values(asObject(input) ?? {})];
    return named.some((name) => typeof name === "string" && this.#place(name) === this.#place(path));
  }

  #place = (path: string): string => resolve(this.#cwd() ?? "/", path);
}

/** Kinds of calls that a write may be of though they do not name the file. */
const writers = new Set<string>(["edit", "multi_edit", "file_write", "other", "mcp", "subagent"]);
