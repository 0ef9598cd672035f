import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, mkdir, readdir, readFile, readlink, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { isInside } from "./git-program.ts";
import {
  contentOf,
  type FileChange,
  type FileContent,
  pathText,
  type Snapshot,
  SnapshotError,
  type Snapshots,
  TooBigError,
} from "./snapshot.ts";

export interface ScanOptions {
  /** The workspace: an absolute, real path. */
  folder: string;
  /** Where contents are kept, in Spoor's data. */
  store: string;
  except: readonly string[];
  signal?: AbortSignal | undefined;
}

interface ScannedFile {
  mode: string;
  size: number;
  sha256: string;
  /** Changes whenever the file may have changed. */
  stamp: string;
  isKept: boolean;
}

export interface Scan extends Snapshot {
  readonly files: ReadonlyMap<string, ScannedFile>;
}

const MAX_FILES = 20_000;
/** Larger files are known by size and time only. */
const MAX_BYTES = 1024 * 1024;

/** Folders that hold what tools made. Without git there are no rules about ignored files. */
const SKIPPED = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", "target", "dist", "build"]);

/** Takes snapshots without git: looks at the times of all files, and reads those that changed. */
export class ScanSnapshots implements Snapshots<Scan> {
  readonly kind = "scan";
  readonly notes: string[] = [];
  readonly #options: ScanOptions;
  #known: ReadonlyMap<string, ScannedFile> = new Map();

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  async take(): Promise<Scan> {
    const files = new Map<string, ScannedFile>();
    const due = [""];
    for (let folder = due.pop(); folder !== undefined; folder = due.pop()) {
      if (this.#options.signal?.aborted) throw new SnapshotError("It was stopped.");
      for (const entry of await this.#entries(folder)) {
        const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!SKIPPED.has(entry.name)) due.push(name);
          continue;
        }
        if (!entry.isFile() && !entry.isSymbolicLink()) continue;
        const file = await this.#look(name);
        if (file) files.set(name, file);
        if (files.size > MAX_FILES)
          throw new TooBigError(`The workspace holds more than ${MAX_FILES} files, and git is missing.`);
      }
    }
    this.#known = files;
    const id = createHash("sha256");
    for (const [name, { sha256, mode, stamp, isKept }] of [...files].sort(byName)) {
      id.update(`${name}\0${sha256}\0${mode}\0${isKept ? "" : stamp}\0`);
    }
    return { id: id.digest("hex"), files };
  }

  async compare(before: Scan, after: Scan, limit: number): Promise<{ changes: FileChange[]; more: number }> {
    const names = [...new Set([...before.files.keys(), ...after.files.keys()])].sort();
    const changed = names.filter((name) => !isSameFile(before.files.get(name), after.files.get(name)));
    const changes: FileChange[] = [];
    for (const name of changed.slice(0, limit)) {
      const [old, now] = [await this.#content(before.files.get(name)), await this.#content(after.files.get(name))];
      const { path: file, isExact } = pathText(name);
      const isWhole = [old, now].every((content) => !content || content.bytes);
      changes.push({
        path: file,
        ...(old && { before: old }),
        ...(now && { after: now }),
        ...(!(isExact && isWhole) && { isFinal: true }),
      });
    }
    return { changes, more: Math.max(0, changed.length - limit) };
  }

  async read(snapshot: Scan, file: string): Promise<FileContent | "absent" | "unknown"> {
    const found = snapshot.files.get(Buffer.from(file, "utf8").toString("latin1"));
    if (found) return (await this.#content(found)) ?? "unknown";
    return file.split("/").some((part) => SKIPPED.has(part)) ? "unknown" : "absent";
  }

  async close(): Promise<void> {}

  /** Names have one character per byte. A folder that cannot be read counts as empty. */
  async #entries(folder: string): Promise<Dirent[]> {
    const place = this.#place(folder);
    if (this.#options.except.some((each) => isInside(each, place.toString("utf8")))) return [];
    return (await readdir(place, { withFileTypes: true, encoding: "latin1" }).catch(() => [])) as Dirent[];
  }

  async #look(name: string): Promise<ScannedFile | undefined> {
    const place = this.#place(name);
    try {
      const stats = await lstat(place, { bigint: true });
      const isLink = stats.isSymbolicLink();
      const mode = isLink ? "120000" : (stats.mode & 0o100n) === 0n ? "100644" : "100755";
      const stamp = [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(" ");
      const known = this.#known.get(name);
      if (known?.stamp === stamp && known.mode === mode) return known;
      if (stats.size > MAX_BYTES) {
        const sha256 = createHash("sha256").update(stamp).digest("hex");
        return { mode, size: Number(stats.size), sha256, stamp, isKept: false };
      }
      const bytes = isLink ? await readlink(place, { encoding: "buffer" }) : await readFile(place);
      const { size, sha256 } = contentOf(mode, bytes);
      await this.#keep(sha256, bytes);
      return { mode, size, sha256, stamp, isKept: true };
    } catch {
      return undefined;
    }
  }

  async #keep(sha256: string, bytes: Buffer): Promise<void> {
    const file = this.#fileOf(sha256);
    if (await lstat(file).catch(() => undefined)) return;
    await mkdir(path.dirname(file), { recursive: true });
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, file);
  }

  async #content(file: ScannedFile | undefined): Promise<FileContent | undefined> {
    if (!file) return undefined;
    const { mode, size, sha256, isKept } = file;
    const bytes = isKept ? await readFile(this.#fileOf(sha256)).catch(() => undefined) : undefined;
    return { mode, size, sha256, ...(bytes && { bytes }) };
  }

  #fileOf = (sha256: string): string => path.join(this.#options.store, "scan", sha256.slice(0, 2), sha256);

  #place(name: string): Buffer {
    const start = Buffer.from(this.#options.folder, "utf8");
    return name === "" ? start : Buffer.concat([start, Buffer.from(`/${name}`, "latin1")]);
  }
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

const isSameFile = (a: ScannedFile | undefined, b: ScannedFile | undefined): boolean =>
  a?.sha256 === b?.sha256 && a?.mode === b?.mode;
