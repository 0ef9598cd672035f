import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readlink, realpath } from "node:fs/promises";
import { contentOf } from "./snapshot.ts";
import type { KnownFile } from "./tree-state.ts";

/**
 * Reads a few regular files, given as paths of bytes. Undefined if one of them is not what it was a moment ago: it is gone,
 * cannot be read, or is reached through a link.
 */
export async function readSmallFiles(files: readonly Buffer[]): Promise<KnownFile[] | undefined> {
  const found = await Promise.all(files.map((file) => readRegular(file).catch(() => undefined)));
  const read = found.filter((file) => file !== undefined);
  return read.length === files.length ? read : undefined;
}

// Without O_NONBLOCK, opening a pipe would wait for its writer.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readRegular(file: Buffer): Promise<KnownFile | undefined> {
  const handle = await open(file, FLAGS);
  try {
    const stats = await handle.stat();
    const place =
      process.platform === "linux"
        ? await readlink(`/proc/self/fd/${handle.fd}`, { encoding: "buffer" })
        : await realpath(file, { encoding: "buffer" });
    if (!stats.isFile() || !place.equals(file)) return undefined;
    const bytes = await handle.readFile();
    const oid = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
    return { ...contentOf((stats.mode & 0o100) === 0 ? "100644" : "100755", bytes), oid };
  } finally {
    await handle.close();
  }
}
