import { lstat, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { isInside } from "../workspace/git-program.ts";
import { contentOf, type FileContent, MAX_FILE_BYTES } from "../workspace/snapshot.ts";

/** What a file is, or that there is none. */
export type FileState = FileContent | "absent";

/** Reads files that calls name, and turns their names into paths relative to the workspace. */
export class NamedFiles {
  readonly #folder: string;
  readonly #except: readonly string[];

  constructor(folder: string, except: readonly string[]) {
    this.#folder = folder;
    this.#except = except;
  }

  /** Only files inside the workspace. Files of git itself and of Spoor are left out. */
  inside(names: readonly string[]): string[] {
    const found = new Set<string>();
    for (const name of names) {
      if (name === "" || name.includes("\0")) continue;
      const file = path.resolve(this.#folder, name);
      if (file === this.#folder || !isInside(this.#folder, file)) continue;
      if (this.#except.some((folder) => isInside(folder, file))) continue;
      const relative = path.relative(this.#folder, file).split(path.sep).join("/");
      if (!/(^|\/)\.git(\/|$)/i.test(relative)) found.add(relative);
    }
    return [...found];
  }

  /** Whether a file existed at this time already. */
  async isOlder(name: string, time: number): Promise<boolean> {
    const stats = await lstat(path.join(this.#folder, name)).catch(() => undefined);
    return stats !== undefined && stats.birthtimeMs > 0 && stats.birthtimeMs < time;
  }

  async readAll(files: readonly string[]): Promise<ReadonlyMap<string, FileState>> {
    const states = await Promise.all(files.map(async (file) => [file, await this.read(file)] as const));
    return new Map(states.filter((entry): entry is [string, FileState] => entry[1] !== undefined));
  }

  /** Undefined if it cannot be read, or lies behind a link that leads out of the workspace. */
  async read(name: string): Promise<FileState | undefined> {
    const file = path.join(this.#folder, name);
    try {
      for (let folder = path.dirname(file); folder.length > this.#folder.length; folder = path.dirname(folder)) {
        if ((await lstat(folder)).isSymbolicLink()) return undefined;
      }
      const stats = await lstat(file);
      if (stats.isSymbolicLink()) return contentOf("120000", Buffer.from(await readlink(file)));
      if (!stats.isFile()) return undefined;
      const mode = (stats.mode & 0o100) === 0 ? "100644" : "100755";
      if (stats.size <= MAX_FILE_BYTES) return contentOf(mode, await readFile(file));
      const { LargeFiles } = await import("../workspace/large-files.ts");
      const large = await new LargeFiles().describe(Buffer.from(file), name, await lstat(file, { bigint: true }));
      return { mode, size: large.size, sha256: large.sha256 };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === "ENOENT" || code === "ENOTDIR" ? "absent" : undefined;
    }
  }
}

export const isSame = (a: FileState, b: FileState): boolean =>
  a === "absent" || b === "absent" ? a === b : a.sha256 === b.sha256 && a.mode === b.mode;
