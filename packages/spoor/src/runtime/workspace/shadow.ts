import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";
import { readContents } from "./blobs.ts";
import { ShadowRepository } from "./shadow-repository.ts";
import { type FileChange, type FileContent, pathText, rawPath, type Snapshot, type Snapshots } from "./snapshot.ts";
import type { KnownFile, StoredFile, TreeState } from "./tree-state.ts";

export interface ShadowSnapshotsOptions {
  /** The absolute path of git. */
  program: string;
  /** The workspace: an absolute, real path. */
  folder: string;
  /** The folder for the shadow repositories of this workspace, in Spoor's data. */
  store: string;
  /** Folders that are never looked at. */
  except: readonly string[];
  signal?: AbortSignal | undefined;
}

export interface ShadowSnapshot extends Snapshot {
  /** The state of each repository, by its folder relative to the workspace. The workspace itself is "". */
  readonly states: ReadonlyMap<string, TreeState>;
}

/** How many nested repositories and submodules are looked at. */
const MAX_NESTED = 16;

/** Takes snapshots with git, in shadow repositories: one for the workspace, and one for each repository inside it. */
export class ShadowSnapshots implements Snapshots<ShadowSnapshot> {
  readonly kind = "git";
  readonly notes: string[] = [];
  readonly #options: ShadowSnapshotsOptions;
  readonly #repositories = new Map<string, ShadowRepository>();

  constructor(options: ShadowSnapshotsOptions) {
    this.#options = options;
  }

  async take(): Promise<ShadowSnapshot> {
    const states = new Map<string, TreeState>();
    const due = [""];
    for (let name = due.shift(); name !== undefined; name = due.shift()) {
      const repository = await this.#repository(name);
      if (!repository) continue;
      const state = await repository.take();
      states.set(name, state);
      for (const nested of state.nested) due.push(...this.#nestedIn(name, repository, nested));
    }
    return { id: idOf(states), states };
  }

  async compare(
    before: ShadowSnapshot,
    after: ShadowSnapshot,
    limit: number,
  ): Promise<{ changes: FileChange[]; more: number }> {
    const changes: FileChange[] = [];
    let more = 0;
    for (const [name, repository] of this.#repositories) {
      const [old, now] = [before.states.get(name), after.states.get(name)];
      if (old === now) continue;
      const pairs = await pairsOf(repository, old ?? EMPTY, now ?? EMPTY);
      const wanted = pairs.slice(0, Math.max(0, limit - changes.length));
      more += pairs.length - wanted.length;
      changes.push(...(await changesOf(repository, name, wanted)));
    }
    return { changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)), more };
  }

  async read(snapshot: ShadowSnapshot, file: string): Promise<FileContent | "absent" | "unknown"> {
    const place = this.#placeOf(rawPath(file));
    const state = place && snapshot.states.get(place.name);
    if (!place || !state) return "unknown";
    const { repository, inside } = place;
    const beside = state.beside.get(inside);
    if (beside) return beside.now ? contentOf(beside.now) : "absent";
    const entry = await repository.find(state.tree, inside);
    if (!entry) return (await repository.isIgnored(inside)) ? "unknown" : "absent";
    const content = (await readContents(repository, [entry.oid])).get(entry.oid);
    return content ? { mode: entry.mode, ...content } : "unknown";
  }

  async close(): Promise<void> {
    for (const repository of this.#repositories.values()) repository.close();
  }

  async #repository(name: string): Promise<ShadowRepository | undefined> {
    const known = this.#repositories.get(name);
    if (known) return known;
    if (this.#repositories.size > MAX_NESTED) {
      const note = `Only ${MAX_NESTED} repositories inside the workspace are watched for changes.`;
      if (!this.notes.includes(note)) this.notes.push(note);
      return undefined;
    }
    const { store, folder } = this.#options;
    const place = path.join(folder, Buffer.from(name, "latin1").toString("utf8"));
    const isSafe = name === "" || isWithin(folder, place);
    if (!isSafe) return undefined;
    const own = name === "" ? "shadow.git" : `${createHash("sha256").update(name).digest("hex").slice(0, 16)}.git`;
    const repository = await ShadowRepository.open({ ...this.#options, folder: place, store: path.join(store, own) });
    this.#repositories.set(name, repository);
    return repository;
  }

  /** The name of a nested repository, relative to the workspace. None if it lies outside. */
  #nestedIn(name: string, { prefix }: ShadowRepository, nested: string): string[] {
    const start = prefix === "" ? "" : `${prefix}/`;
    if (!nested.startsWith(start)) return [];
    const inside = nested.slice(start.length);
    return inside === "" ? [] : [name === "" ? inside : `${name}/${inside}`];
  }

  /** The repository of a file: the innermost one. */
  #placeOf(file: string): { name: string; repository: ShadowRepository; inside: string } | undefined {
    let found: { name: string; repository: ShadowRepository; inside: string } | undefined;
    for (const [name, repository] of this.#repositories) {
      if (name !== "" && !file.startsWith(`${name}/`)) continue;
      if (found && found.name.length > name.length) continue;
      const inside = name === "" ? file : file.slice(name.length + 1);
      found = { name, repository, inside: repository.prefix === "" ? inside : `${repository.prefix}/${inside}` };
    }
    return found;
  }
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY: TreeState = { tree: EMPTY_TREE, beside: new Map(), nested: [] };

type Side = StoredFile | KnownFile;

interface Pair {
  name: string;
  before?: Side | undefined;
  after?: Side | undefined;
}

/** The files that differ, in the trees of git or beside them. */
async function pairsOf(repository: ShadowRepository, old: TreeState, now: TreeState): Promise<Pair[]> {
  const changed = new Map((await repository.compare(old.tree, now.tree)).map((change) => [change.name, change]));
  const pairs = new Map<string, Pair>(changed);
  for (const name of new Set([...old.beside.keys(), ...now.beside.keys()])) {
    const [before, after] = [old.beside.get(name), now.beside.get(name)];
    // A file that is the same in both trees is known from the other side.
    const inTrees = changed.get(name) ?? { before: after?.inTree, after: before?.inTree };
    pairs.set(name, {
      name,
      before: before ? before.now : inTrees.before,
      after: after ? after.now : inTrees.after,
    });
  }
  return [...pairs.values()].filter(isChange).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isChange({ before, after }: Pair): boolean {
  if (!before || !after || before.mode !== after.mode) return before !== after;
  if ("sha256" in before && "sha256" in after) return before.sha256 !== after.sha256;
  return before.oid === undefined || before.oid !== after.oid;
}

async function changesOf(repository: ShadowRepository, name: string, pairs: readonly Pair[]): Promise<FileChange[]> {
  const sides = pairs.flatMap(({ before, after }) => [before, after]);
  const ids = new Set(sides.flatMap((side) => (side && !("sha256" in side) ? [side.oid] : [])));
  const contents = await readContents(repository, [...ids]);
  const found = (side: Side | undefined): FileContent | undefined => {
    if (!side || "sha256" in side) return side && contentOf(side);
    const content = contents.get(side.oid);
    return content && { mode: side.mode, ...content };
  };
  const start = repository.prefix === "" ? 0 : repository.prefix.length + 1;
  const changes = pairs.map((pair): FileChange => {
    const inside = pair.name.slice(start);
    const { path: file, isExact } = pathText(name === "" ? inside : `${name}/${inside}`);
    const [before, after] = [found(pair.before), found(pair.after)];
    const isWhole = [pair.before && before, pair.after && after].every((side) => side === undefined || side.bytes);
    return {
      path: file,
      ...(before && { before }),
      ...(after && { after }),
      ...(!(isExact && isWhole) && { isFinal: true }),
    };
  });
  // A large file may have been touched only.
  return changes.filter(({ before, after }) => before?.sha256 !== after?.sha256 || before?.mode !== after?.mode);
}

const contentOf = ({ oid: _, ...content }: KnownFile): FileContent => content;

function idOf(states: ReadonlyMap<string, TreeState>): string {
  const parts = [...states].map(([name, { tree, beside }]) => [
    name,
    tree,
    [...beside].map(([file, { now }]) => [file, now?.sha256, now?.mode]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  ]);
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** A submodule's folder may be replaced by a link to somewhere else. */
function isWithin(folder: string, place: string): boolean {
  try {
    return realpathSync(place) === place && place.startsWith(folder);
  } catch {
    return false;
  }
}
