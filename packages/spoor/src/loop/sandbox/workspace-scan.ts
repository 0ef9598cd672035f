import { chmodSync, type Dirent, lstatSync, readdirSync } from "node:fs";
import path from "node:path";

/** Something in the workspace whose name is one of those that were looked for. */
export interface NamedPlace {
  path: string;
  name: string;
}

export interface ScanOptions {
  root: string;
  /** The names to look for. Folders with these names are not looked into, unless they are in `open`. */
  names: ReadonlySet<string>;
  open: ReadonlySet<string>;
  /** Folders that are left out. */
  except: ReadonlySet<string>;
  maxFolders?: number;
}

/** What a look at the workspace found. */
export interface ScanResult {
  /** Those below the top of the workspace, shallow ones first. */
  places: readonly NamedPlace[];
  /** There are more folders than are looked at. */
  isCut: boolean;
}

/** Packages of others, which their package manager replaces as a whole, and where nobody starts an agent or git. */
const SKIPPED = new Set(["node_modules"]);
const MAX_FOLDERS = 20_000;
/** A folder that changed so shortly before it was read may have changed again within the same tick of the clock. */
const TICK_NS = 50_000_000n;

interface ReadFolder {
  id: string;
  changed: bigint;
  readAt: bigint;
  isUnreadable?: boolean;
  folders: readonly string[];
  named: readonly string[];
}

/**
 * Looks for names everywhere in a workspace. The first look reads every folder. Later ones read only those that have changed
 * since, by their change time, which no command can set. The number of folders is limited, and the deepest are left out.
 */
export class WorkspaceScan {
  readonly #options: ScanOptions;
  #known = new Map<string, ReadFolder>();

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** If it `opens`, a folder that has become unreadable since the last look is made readable again. */
  look({ opens = false } = {}): ScanResult {
    const { root, maxFolders = MAX_FOLDERS } = this.#options;
    const known = new Map<string, ReadFolder>();
    const places: NamedPlace[] = [];
    const folders = [root];
    for (let at = 0; at < folders.length && at < maxFolders; at++) {
      const folder = folders[at] ?? root;
      const read = this.#read(folder, opens);
      if (read === undefined) continue;
      known.set(folder, read);
      for (const name of read.folders) folders.push(path.join(folder, name));
      if (folder !== root) for (const name of read.named) places.push({ path: path.join(folder, name), name });
    }
    this.#known = known;
    return { places, isCut: folders.length > maxFolders };
  }

  #read(folder: string, opens: boolean): ReadFolder | undefined {
    try {
      const { dev, ino, ctimeNs: changed, mode } = lstatSync(folder, { bigint: true });
      const id = `${dev}:${ino}`;
      const before = this.#known.get(folder);
      const isSame = before?.id === id && before.changed === changed && before.readAt - changed > TICK_NS;
      if (isSame) return before;
      const read = { id, changed, readAt: BigInt(Date.now()) * 1_000_000n };
      const isUnreadable = (Number(mode) & 0o500) !== 0o500;
      if (isUnreadable && opens && !before?.isUnreadable) chmodSync(folder, (Number(mode) & 0o777) | 0o500);
      else if (isUnreadable) return { ...read, isUnreadable, folders: [], named: [] };
      return { ...read, ...this.#sorted(folder, readdirSync(folder, { withFileTypes: true })) };
    } catch {
      // It is gone, or we may not read it.
      return undefined;
    }
  }

  #sorted(folder: string, entries: readonly Dirent[]): Pick<ReadFolder, "folders" | "named"> {
    const { names, open, except } = this.#options;
    const isLookedInto = (entry: Dirent): boolean =>
      entry.isDirectory() &&
      !SKIPPED.has(entry.name) &&
      (!names.has(entry.name) || open.has(entry.name)) &&
      !except.has(path.join(folder, entry.name));
    return {
      folders: entries.filter(isLookedInto).map(({ name }) => name),
      named: entries.filter(({ name }) => names.has(name)).map(({ name }) => name),
    };
  }
}
