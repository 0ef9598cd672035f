import { createHash } from "node:crypto";

/** How a run's changes are found: by git, by a scan without git, only where a call names its file, or not at all. */
export type SnapshotKind = "git" | "scan" | "named" | "off";

/** A file larger than this is known by its hash and size only, and a change of it cannot be reverted. */
export const MAX_FILE_BYTES: number = 10 * 1024 * 1024;

/** What a file was at one moment. */
export interface FileContent {
  /** As git writes it: `100644`, `100755`, or `120000` for a symbolic link, whose bytes are its target. */
  mode: string;
  size: number;
  sha256: string;
  /** Undefined for a file that is too large. */
  bytes?: Buffer;
}

/** One changed file. */
export interface FileChange {
  /** Relative to the workspace, with `/`. Bytes that are not UTF-8 are written as `\xNN`. */
  path: string;
  /** Undefined if the file was created. */
  before?: FileContent;
  /** Undefined if the file was deleted. */
  after?: FileContent;
  /** Set if the change cannot be undone: the file is too large, or its name is not UTF-8. */
  isFinal?: true;
}

/** The state of a workspace at one moment. What it holds is known to the `Snapshots` that took it. */
export interface Snapshot {
  /** Equal only if the files are equal. Equal files may have another id after many of them changed meanwhile. */
  readonly id: string;
}

/** Takes snapshots of one workspace and compares them. */
export interface Snapshots<S extends Snapshot = Snapshot> {
  readonly kind: SnapshotKind;
  take(): Promise<S>;
  /** The files that differ, ordered by path, at most `limit` of them; `more` counts the others. */
  compare(before: S, after: S, limit: number): Promise<{ changes: FileChange[]; more: number }>;
  /** What a file was in a snapshot; `unknown` if the snapshot does not see such files, for example ignored ones. */
  read(snapshot: S, path: string): Promise<FileContent | "absent" | "unknown">;
  /** What users should know: parts of the workspace that are not seen. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** The folder cannot be snapshotted. The message says why, for people. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

/** The folder holds too much. That will be so for the next run, too. */
export class TooBigError extends SnapshotError {}

export const contentOf = (mode: string, bytes: Buffer): FileContent => ({
  mode,
  size: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  ...(bytes.length <= MAX_FILE_BYTES && { bytes }),
});

/** A path as text. `raw` has one character per byte. */
export function pathText(raw: string): { path: string; isExact: boolean } {
  const bytes = Buffer.from(raw, "latin1");
  const text = bytes.toString("utf8");
  if (Buffer.from(text, "utf8").equals(bytes)) return { path: text, isExact: true };
  const escaped = raw.replace(/[\\\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return { path: escaped, isExact: false };
}

/** The opposite of `pathText` for exact paths: one character per byte. */
export const rawPath = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
