import type { BigIntStats } from "node:fs";
import { lstat, rm } from "node:fs/promises";
import path from "node:path";
import { type ChangedFiles, changedFiles, namesIn, type TreeChange, treeChanges } from "./git-output.ts";
import { type GitOutcome, isInside, runGit } from "./git-program.ts";
import { LargeFiles } from "./large-files.ts";
import { findSeed } from "./seed.ts";
import { keepIndex, ownIndex, writeShadow } from "./shadow-files.ts";
import { readSmallFiles } from "./small-files.ts";
import { MAX_FILE_BYTES, SnapshotError, TooBigError } from "./snapshot.ts";
import type { Beside, KnownFile, StoredFile, TreeState } from "./tree-state.ts";
import { findRepository } from "./user-repository.ts";

export interface ShadowOptions {
  /** The absolute path of git. */
  program: string;
  /** The folder to look at: an absolute, real path. */
  folder: string;
  /** The git folder of the shadow, in Spoor's data. */
  store: string;
  /** Folders that are never looked at. */
  except: readonly string[];
  signal?: AbortSignal | undefined;
}

/**
 * So many files that differ from the tree are read again for each snapshot. More of them go into the index and a new tree: git
 * rewrites the whole index for that, which takes about as long in a large workspace.
 */
const MAX_BESIDE = { files: 32, bytes: 1024 ** 2 };

/** More new files than this, or more bytes, and the folder is too big for snapshots. */
const MAX_NEW_FILES = 100_000;
const MAX_NEW_BYTES = 1024 ** 3;
/** How many files are looked at together. */
const BATCH = 256;

/**
 * A second git folder for one working tree, with its own index and objects. The user's `.git` is read at most, never written;
 * no hook, filter, monitor or text conversion of the tree runs.
 */
export class ShadowRepository {
  /** The top of the working tree that git sees. It holds the folder. */
  readonly root: string;
  /** The folder relative to the root, with one character per byte; empty if they are the same. */
  readonly prefix: string;
  /** Files that could not be read in the last snapshot. */
  unreadable: string[] = [];
  readonly #options: ShadowOptions;
  readonly #index: string;
  readonly #large = new LargeFiles();
  readonly #gitlinks: readonly string[];
  /** Whether git takes the modes of files from the file system. */
  readonly #hasModes: boolean;
  /** Whether the index knows most files. */
  #isFilled: boolean;
  #tree: string | undefined;
  /** New files that are in no tree yet. If they are ignored from now on, they are not deleted. */
  #seen: readonly string[] = [];

  static async open(options: ShadowOptions): Promise<ShadowRepository> {
    const { program, folder, store, except, signal } = options;
    const repository = findRepository(folder);
    const seed = repository ? await findSeed(program, repository) : { ignored: "", gitlinks: [] };
    const write = (root: string) =>
      writeShadow({ store, root, ignored: seed.ignored, except, alternate: seed.alternate, settings: seed.settings });
    let root = repository?.root ?? folder;
    write(root);
    if (root !== folder) {
      // A repository may ignore the very folder in which the agent works.
      const args = ["check-ignore", "-q", "--no-index", "--", `./${path.relative(root, folder)}`];
      const variables = { ...variablesOf(store, root), GIT_LITERAL_PATHSPECS: "0" };
      const { code } = await runGit({ program, args, cwd: root, variables, signal });
      if (code === 0) {
        root = folder;
        write(root);
      }
    }
    const isWhole = root === repository?.root;
    const own = ownIndex(store, isWhole ? seed.index : undefined);
    return new ShadowRepository(options, {
      root,
      index: own.index,
      isFilled: own.isSeeded,
      gitlinks: isWhole ? seed.gitlinks : [],
      hasModes: !["core.filemode", "core.symlinks"].some((key) => seed.settings?.get(key) === "false"),
    });
  }

  private constructor(options: ShadowOptions, { root, index, isFilled, gitlinks, hasModes }: Opened) {
    this.#options = options;
    this.root = root;
    this.#index = index;
    this.#isFilled = isFilled;
    this.#gitlinks = gitlinks;
    this.#hasModes = hasModes;
    this.prefix = rawOf(path.relative(root, options.folder).split(path.sep).join("/"));
  }

  async take(): Promise<TreeState> {
    const [changed, others] = await Promise.all([
      this.#git([
        "diff-files",
        "-z",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--ignore-submodules=all",
        ...this.#within(),
      ]),
      this.#git(["ls-files", "-z", "--others", "--exclude-standard", ...this.#within()]),
    ]);
    if (changed.code !== 0 || others.code !== 0) throw failed(changed.code === 0 ? others : changed);
    const files = changedFiles(changed.stdout);
    const found = await this.#classify(files, [...new Set([...namesIn(others.stdout), ...this.#seen])]);
    this.unreadable = [];
    const beside = new Map<string, Beside>();
    const small = await this.#readSmall(found);
    for (const [name, now] of [...found.large, ...(small ?? [])]) {
      const inTree = files.inTree.get(name);
      if (inTree?.oid !== now?.oid || inTree?.mode !== now?.mode) beside.set(name, { inTree, now });
    }
    const isChanged = !small && found.removed.length + found.added.length > 0;
    if (isChanged) await this.#fill(found);
    if (this.#tree === undefined || isChanged) {
      const written = await this.#git(["write-tree", "--missing-ok"]);
      if (written.code !== 0) throw failed(written);
      this.#tree = written.stdout.toString("latin1").trim();
    }
    this.#seen = [...beside].flatMap(([name, { inTree, now }]) => (now && !inTree ? [name] : []));
    return { tree: this.#tree, beside, nested: [...found.nested] };
  }

  /** The changed paths between two trees, with the modes and object ids on both sides. */
  async compare(before: string, after: string): Promise<TreeChange[]> {
    if (before === after) return [];
    const options = ["-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-abbrev"];
    const outcome = await this.#git(["diff-tree", ...options, before, after, ...this.#within()]);
    if (outcome.code !== 0) throw failed(outcome);
    return treeChanges(outcome.stdout);
  }

  /** The entry of one path in a tree. */
  async find(tree: string, name: string): Promise<StoredFile | undefined> {
    const { code, stdout } = await this.#git(["ls-tree", "-z", tree, "--", textOf(name)]);
    const entry = code === 0 ? /^(\d{6}) blob ([0-9a-f]+)\t/.exec(stdout.toString("latin1")) : null;
    return entry ? { mode: entry[1] ?? "", oid: entry[2] ?? "" } : undefined;
  }

  async isIgnored(name: string): Promise<boolean> {
    // This command knows no literal paths, but a path that begins with a dot has no special meaning.
    const { program, store, signal } = this.#options;
    const variables = { ...variablesOf(store, this.root), GIT_LITERAL_PATHSPECS: "0", GIT_INDEX_FILE: this.#index };
    const args = ["check-ignore", "-q", "--", `./${textOf(name)}`];
    return (await runGit({ program, args, cwd: this.root, variables, signal })).code === 0;
  }

  run(args: readonly string[], input?: Buffer, onOutput?: (piece: Buffer) => void): Promise<GitOutcome> {
    return this.#git(args, input, onOutput);
  }

  /** Keeps the index for the next run. */
  close(): void {
    keepIndex(this.#options.store, this.#index);
  }

  #within(): string[] {
    return this.prefix === "" ? [] : ["--", textOf(this.prefix)];
  }

  /** Reads the files that differ from the tree, if they are few, small and plain. A deleted one is undefined. */
  async #readSmall(found: Found): Promise<Map<string, KnownFile | undefined> | undefined> {
    const isFew = found.added.length + found.removed.length <= MAX_BESIDE.files && found.bytes <= MAX_BESIDE.bytes;
    if (!this.#hasModes || !this.#isFilled || !found.isPlain || !isFew) return undefined;
    const read = await readSmallFiles(found.added.map((name) => bytesPath(this.root, name)));
    const gone = found.removed.map((name) => [name, undefined] as const);
    return read && new Map([...gone, ...found.added.map((name, n) => [name, read[n]] as const)]);
  }

  /** Puts all that differs into the index. */
  async #fill({ removed, added }: Found): Promise<void> {
    if (removed.length > 0) await this.#update(["--force-remove"], removed);
    if (added.length > 0) await this.#add(added);
    this.#isFilled = true;
  }

  async #classify({ modified, unmerged, deleted }: ChangedFiles, others: readonly string[]): Promise<Found> {
    if (others.length > MAX_NEW_FILES) throw new TooBigError(`The workspace holds more than ${MAX_NEW_FILES} files.`);
    const known = new Set([...modified, ...unmerged]);
    const nested = new Set(this.#gitlinks);
    const isPlain = unmerged.length === 0;
    const found: Found = { removed: deleted, added: [], bytes: 0, isPlain, large: new Map(), nested };
    const names = [...known, ...others.filter((name) => !known.has(name))];
    for (let from = 0; from < names.length; from += BATCH) {
      const batch = names.slice(from, from + BATCH).filter((name) => !this.#isExcluded(name));
      const all = await Promise.all(batch.map((name) => this.#stat(name)));
      for (const [n, name] of batch.entries()) {
        const stats = all[n];
        if (name.endsWith("/")) found.nested.add(name.slice(0, -1));
        else if (stats?.isFile() && stats.size > MAX_FILE_BYTES) {
          found.large.set(name, await this.#large.describe(bytesPath(this.root, name), name, stats));
          if (unmerged.includes(name)) found.removed.push(name);
        } else if (stats && (stats.isFile() || stats.isSymbolicLink())) {
          found.bytes += Number(stats.size);
          if (!stats.isFile()) found.isPlain = false;
          found.added.push(name);
        } else if (known.has(name)) found.removed.push(name);
      }
      if (found.bytes > MAX_NEW_BYTES)
        throw new TooBigError(`The workspace holds more than ${MAX_NEW_BYTES} bytes of new files.`);
    }
    this.#large.keep(found.large);
    return found;
  }

  #stat(name: string): Promise<BigIntStats | undefined> {
    return lstat(bytesPath(this.root, name), { bigint: true }).catch(() => undefined);
  }

  #isExcluded(name: string): boolean {
    const { except } = this.#options;
    return except.length > 0 && except.some((folder) => isInside(folder, path.join(this.root, textOf(name))));
  }

  /** Adds these files. A file that cannot be read, or that changes all the time, must not keep the others out. */
  async #add(names: readonly string[]): Promise<void> {
    const outcome = await this.#update(["--add", "--remove", "--replace"], names);
    if (outcome.code === 0) return;
    if (this.#options.signal?.aborted) throw failed(outcome);
    // Git maps files into memory, so a file that shrinks meanwhile kills it, and its lock stays. Only we use this index.
    await rm(`${this.#index}.lock`, { force: true });
    if (names.length === 1) {
      this.unreadable.push(names[0] ?? "");
      return;
    }
    const half = Math.ceil(names.length / 2);
    await this.#add(names.slice(0, half));
    await this.#add(names.slice(half));
  }

  #update(how: readonly string[], names: readonly string[]): Promise<GitOutcome> {
    const input = Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
    return this.#git(["update-index", "-z", ...how, "--stdin"], input);
  }

  #git(args: readonly string[], input?: Buffer, onOutput?: (piece: Buffer) => void): Promise<GitOutcome> {
    const { program, store, signal } = this.#options;
    const variables = { ...variablesOf(store, this.root), GIT_INDEX_FILE: this.#index };
    return runGit({ program, args, cwd: this.root, variables, signal, onOutput, ...(input && { input }) });
  }
}

interface Opened {
  root: string;
  index: string;
  isFilled: boolean;
  gitlinks: readonly string[];
  hasModes: boolean;
}

interface Found {
  removed: string[];
  added: string[];
  /** The size of the added files. */
  bytes: number;
  /** Whether all of them are regular files, and nothing is in the middle of a merge. */
  isPlain: boolean;
  large: Map<string, KnownFile>;
  nested: Set<string>;
}

const rawOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const textOf = (raw: string): string => Buffer.from(raw, "latin1").toString("utf8");

/** A path that is not UTF-8 must be given to the file system as bytes. */
const bytesPath = (root: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`, "utf8"), Buffer.from(name, "latin1")]);

const variablesOf = (store: string, root: string) => ({
  GIT_DIR: store,
  GIT_WORK_TREE: root,
  GIT_LITERAL_PATHSPECS: "1",
});

function failed({ code, stderr }: GitOutcome): SnapshotError {
  const [line = ""] = stderr.split("\n");
  return new SnapshotError(line === "" ? `Git ended with code ${code}.` : line);
}
