import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SpoorError } from "../../failures/errors.ts";
import { makeDirectory } from "../../log/make-directory.ts";

/** What the user trusts: a list in a JSON file of the data directory. */
export interface StoredList<Item> {
  fileIn(directory: string): string;
  /** A list that cannot be read throws: nothing counts as trusted then. */
  read(directory: string): Item[];
  /** Changes the list. Of two processes that change it at once, the second one sees what the first one wrote. */
  change(directory: string, make: (items: readonly Item[]) => readonly Item[]): void;
}

/** `damaged` says what follows from a file that holds no such list, and what to do. */
export function storedList<Item>(
  name: string,
  key: string,
  isItem: (item: Item) => boolean,
  damaged: string,
): StoredList<Item> {
  const fileIn = (directory: string): string => path.join(directory, name);

  function read(directory: string): Item[] {
    const file = fileIn(directory);
    let written: string;
    try {
      written = readFileSync(file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw new SpoorError("CONFIG_ERROR", `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
    }
    try {
      const items = (JSON.parse(written) as Record<string, Item[]>)[key];
      if (items?.every(isItem)) return items;
    } catch {
      // Reported below, as any other content that is not a list.
    }
    throw new SpoorError("CONFIG_ERROR", `${file} is damaged, ${damaged}`);
  }

  function change(directory: string, make: (items: readonly Item[]) => readonly Item[]): void {
    makeDirectory(directory);
    const file = fileIn(directory);
    const draft = `${file}.new`;
    lock(draft);
    try {
      writeFileSync(draft, `${JSON.stringify({ [key]: make(read(directory)) }, null, 2)}\n`);
      renameSync(draft, file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  return { fileIn, read, change };
}

/** A change takes milliseconds. A draft that is this old was left by a process that died. */
const STALE_MS = 10_000;
const WAIT_MS = 10;

/** Only one process can make the draft. The others wait until it has become the list. */
function lock(draft: string): void {
  for (;;) {
    try {
      writeFileSync(draft, "", { mode: 0o600, flag: "wx" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const made = statSync(draft, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== undefined && Date.now() - made > STALE_MS) rmSync(draft, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
}
