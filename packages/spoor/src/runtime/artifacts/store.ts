import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { Effect, Rows } from "../../log/effects.ts";
import { ArtifactError } from "./errors.ts";
import { seal, unseal } from "./seal.ts";
import { touch, writeWhole } from "./write-whole.ts";

/** Contents up to this size are stored in the log itself, larger ones in files beside it. */
export const MAX_INLINE_BYTES: number = 16 * 1024;

/** A stored content. */
export interface StoredBlob {
  sha256: string;
  size: number;
  /** Put these into the commit that names the content. */
  effects: Effect[];
}

/**
 * Stores a content under its hash. A large one is in a file, and durable, when this resolves; a small one is written by the
 * effects. The same content is stored once. A `secret` content is stored encrypted, so that no file of ours shows it.
 */
export async function storeBlob(directory: string, bytes: Buffer, { secret = false } = {}): Promise<StoredBlob> {
  const sha256 = hashOf(bytes);
  const size = bytes.length;
  const isInline = size <= MAX_INLINE_BYTES && !secret;
  if (!isInline) await storeFile(directory, sha256, bytes, secret);
  const row = { sha256, size, bytes: isInline ? bytes : null };
  return {
    sha256,
    size,
    effects: [
      { do: "insert", table: "blobs", row, ifExists: "keep" },
      // Whoever deletes unused contents compares this, and so notices that the content is used again.
      { do: "update", table: "blobs", key: sha256, when: {}, set: { used_at: Date.now() } },
    ],
  };
}

/**
 * Reads a content and compares it with its hash.
 *
 * @throws {ArtifactError} `missing` if it is gone, `damaged` if its bytes are not what was stored.
 * @example
 * const [artifact] = await artifactsOfRun(log, run_id);
 * if (artifact?.sha256) console.log(await readBlob(log, "./runs", artifact.sha256));
 */
export async function readBlob(log: { rows: Rows }, directory: string, sha256: string): Promise<Buffer> {
  const row = await log.rows.find("blobs", sha256);
  if (!row) throw new ArtifactError("missing", `The content ${sha256} is not stored any more.`);
  const bytes = row.bytes ? Buffer.from(row.bytes) : await readStored(directory, sha256, row.size);
  if (hashOf(bytes) !== sha256) throw damaged(sha256);
  return bytes;
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A revision of a file, as records and events show it. */
export const revisionOf = (bytes: Uint8Array): string => `sha256:${hashOf(bytes)}`;
export const hashOfRevision = (revision: string): string => revision.replace(/^sha256:/, "");

export const blobFolder = (directory: string): string => path.join(directory, "artifacts");

/** The file of a content: compressed, or encrypted for a secret one. */
export function blobFile(directory: string, sha256: string, secret: boolean): string {
  const name = `${sha256}.${secret ? "sealed" : "zst"}`;
  return path.join(blobFolder(directory), sha256.slice(0, 2), sha256.slice(2, 4), name);
}

/** Whether one of these revisions of a file is stored encrypted, because a secret was found in it. */
export const isSecret = (directory: string, revisions: readonly unknown[]): boolean =>
  revisions.some(
    (revision) => typeof revision === "string" && existsSync(blobFile(directory, hashOfRevision(revision), true)),
  );

async function storeFile(directory: string, sha256: string, bytes: Buffer, secret: boolean): Promise<void> {
  const file = blobFile(directory, sha256, secret);
  // The new time tells whoever deletes unused contents that this one is about to be used.
  if (await touch(file)) return;
  // A content that was once found to be secret is not stored in plain later.
  if (!secret && (await touch(blobFile(directory, sha256, true)))) return;
  const packed = await compress(bytes);
  await writeWhole(file, secret ? await seal(blobFolder(directory), packed) : packed);
}

async function readStored(directory: string, sha256: string, size: number): Promise<Buffer> {
  const plain = blobFile(directory, sha256, false);
  const isPlain = await stat(plain).then(
    () => true,
    () => false,
  );
  try {
    const stored = await readFile(isPlain ? plain : blobFile(directory, sha256, true));
    const packed = isPlain ? stored : await unseal(blobFolder(directory), stored);
    return await decompress(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new ArtifactError("missing", `The file of the content ${sha256} is gone.`);
    if (error instanceof ArtifactError) throw error;
    if (code === "EACCES" || code === "EPERM" || code === "EIO") throw error;
    throw damaged(sha256);
  }
}

const damaged = (sha256: string): ArtifactError =>
  new ArtifactError("damaged", `The content ${sha256} is damaged: its bytes do not match its hash.`);

const compress = promisify(zstdCompress) as (bytes: Buffer) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (
  bytes: Buffer,
  options: { maxOutputLength: number },
) => Promise<Buffer>;
