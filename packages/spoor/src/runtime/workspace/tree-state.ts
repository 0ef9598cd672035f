import type { FileContent } from "./snapshot.ts";

/**
 * The state of one working tree: a tree of git, and the files that differ from it. Paths have one character per byte and are
 * relative to the root of the shadow.
 */
export interface TreeState {
  tree: string;
  /** Files that are too large for the tree, and a few small ones. */
  beside: ReadonlyMap<string, Beside>;
  /** Folders below that are repositories of their own. */
  nested: readonly string[];
}

/** A file that differs from the tree. A missing side is a file that does not exist. */
export interface Beside {
  inTree?: StoredFile | undefined;
  now?: KnownFile | undefined;
}

/** A file that is known without git's objects. */
export interface KnownFile extends FileContent {
  /** The id that git would give its bytes. A file that is too large has none. */
  oid?: string;
}

/** A file as git stores it. */
export interface StoredFile {
  mode: string;
  oid: string;
}
