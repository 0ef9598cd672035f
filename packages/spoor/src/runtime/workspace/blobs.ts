import { createHash } from "node:crypto";
import type { ShadowRepository } from "./shadow-repository.ts";
import { contentOf, type FileContent, MAX_FILE_BYTES, SnapshotError } from "./snapshot.ts";

/** All contents that are read for one comparison together have at most this many bytes. Others are known by hash and size. */
const MAX_BYTES = 100 * 1024 * 1024;

/** Reads contents by their object ids. */
export async function readContents(
  repository: ShadowRepository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Omit<FileContent, "mode">>> {
  const contents = new Map<string, Omit<FileContent, "mode">>();
  if (ids.length === 0) return contents;
  const sizes = await sizesOf(repository, ids);
  let bytes = 0;
  const small: string[] = [];
  for (const [id, size] of sizes) {
    bytes += size;
    if (size <= MAX_FILE_BYTES && bytes <= MAX_BYTES) small.push(id);
    else contents.set(id, { size, sha256: await hashOf(repository, id) });
  }
  for (const [id, content] of await readSmall(repository, small)) contents.set(id, content);
  return contents;
}

async function sizesOf(repository: ShadowRepository, ids: readonly string[]): Promise<Map<string, number>> {
  const { stdout } = await repository.run(["cat-file", "--batch-check"], list(ids));
  const sizes = new Map<string, number>();
  for (const line of stdout.toString("latin1").split("\n")) {
    const [id = "", type, size] = line.split(" ");
    if (type === "blob") sizes.set(id, Number(size));
  }
  return sizes;
}

async function readSmall(
  repository: ShadowRepository,
  ids: readonly string[],
): Promise<Map<string, Omit<FileContent, "mode">>> {
  const contents = new Map<string, Omit<FileContent, "mode">>();
  if (ids.length === 0) return contents;
  const { stdout } = await repository.run(["cat-file", "--batch"], list(ids));
  let at = 0;
  while (at < stdout.length) {
    const end = stdout.indexOf(10, at);
    const [id = "", type, length] = stdout.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (type !== "blob") continue;
    const size = Number(length);
    if (at + size > stdout.length) throw new SnapshotError("Git returned less than the content of a file.");
    const { mode: _, ...content } = contentOf("", Buffer.from(stdout.subarray(at, at + size)));
    contents.set(id, content);
    at += size + 1;
  }
  return contents;
}

async function hashOf(repository: ShadowRepository, id: string): Promise<string> {
  const hash = createHash("sha256");
  await repository.run(["cat-file", "blob", id], undefined, (piece) => hash.update(piece));
  return hash.digest("hex");
}

const list = (ids: readonly string[]): Buffer => Buffer.from(ids.map((id) => `${id}\n`).join(""), "latin1");
