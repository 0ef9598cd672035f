import { randomBytes } from "node:crypto";
import { readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { listPending } from "./recover.ts";
import { blobFile, blobFolder } from "./store.ts";

/** What was removed. */
export interface Collected {
  blobs: number;
  bytes: number;
}

/**
 * Removes contents that no artifact names any more, such as those of pruned runs. A content that somebody stores again at
 * the same time stays. Does nothing while files are being changed, because such a change needs its contents.
 *
 * @example
 * console.log((await collectBlobs(log, "./runs")).bytes);
 */
export async function collectBlobs(log: Log, directory: string, now: number = Date.now()): Promise<Collected> {
  const removed: Collected = { blobs: 0, bytes: 0 };
  if ((await listPending(log)).length > 0) return removed;
  for (let after: string | undefined, more = true; more; ) {
    const page = await log.rows.list("blobs", { limit: 500, ...(after !== undefined && { after }) });
    for (const { sha256, size, used_at } of page.rows) {
      if (await isNamed(log, sha256)) continue;
      try {
        await log.rows.write([{ do: "delete", table: "blobs", key: sha256, when: { used_at } }]);
      } catch (error) {
        // Somebody named it again since.
        if (error instanceof LogError && error.code === "conflict") continue;
        throw error;
      }
      for (const secret of [false, true]) await removeFile(log, blobFile(directory, sha256, secret), sha256, now);
      removed.blobs += 1;
      removed.bytes += size;
    }
    after = page.rows.at(-1)?.sha256;
    more = page.more && after !== undefined;
  }
  await removeLeftovers(log, directory, now);
  return removed;
}

async function isNamed({ rows }: Log, sha256: string): Promise<boolean> {
  for (const where of [{ sha256 }, { base_revision: `sha256:${sha256}` }, { result_revision: `sha256:${sha256}` }]) {
    if ((await rows.list("artifacts", { where, limit: 1 })).rows.length > 0) return true;
  }
  return false;
}

/**
 * Removes a file unless somebody uses its content again. Whoever stores a content sets the time of a file that exists. So
 * the file is moved aside first: a new time shows that it was used before the move, and after the move it is written anew.
 */
async function removeFile(log: Log, file: string, sha256: string, now: number): Promise<void> {
  const aside = `${file}.${randomBytes(8).toString("hex")}.old`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const isUsed = (await stat(aside)).mtimeMs >= now || (await log.rows.find("blobs", sha256)) !== undefined;
  if (isUsed) await rename(aside, file);
  else await unlink(aside);
}

/** How old a file must be that no row names: its commit may follow. */
const LEFTOVER_MS = 24 * 3_600_000;

/** Removes files that were stored for a commit that never came, and temporary files of processes that died. */
async function removeLeftovers(log: Log, directory: string, now: number): Promise<void> {
  const folder = blobFolder(directory);
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of names) {
    const [, sha256] = /([0-9a-f]{64})\.(?:zst|sealed)(?:\.[0-9a-f]{16}\.(?:tmp|old))?$/.exec(name) ?? [];
    if (sha256 === undefined) continue;
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found || found.mtimeMs > now - LEFTOVER_MS) continue;
    if (/\.(tmp|old)$/.test(name)) await unlink(file).catch(() => {});
    else if (!(await log.rows.find("blobs", sha256))) await removeFile(log, file, sha256, now);
  }
}
