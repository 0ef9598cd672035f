import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { ArtifactError } from "./errors.ts";
import { writeWhole } from "./write-whole.ts";

/**
 * Encrypts a content in which a secret was found. A patch needs the exact bytes of its file, so they cannot be redacted;
 * encrypted, they show up neither in a search of the data directory nor in a copy of the log. The key is a private file
 * beside them, so this does not protect against somebody who can read the whole directory.
 */
export async function seal(folder: string, bytes: Buffer): Promise<Buffer> {
  const key = (await readKey(folder)) ?? (await makeKey(folder));
  const start = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, start);
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([start, cipher.getAuthTag(), body]);
}

export async function unseal(folder: string, sealed: Buffer): Promise<Buffer> {
  const key = await readKey(folder);
  if (!key) throw new ArtifactError("missing", `The key ${keyFile(folder)} is gone, which encrypted contents need.`);
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}

const keyFile = (folder: string): string => path.join(folder, "key");

async function readKey(folder: string): Promise<Buffer | undefined> {
  try {
    return await readFile(keyFile(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Two processes may make a key at the same time. The link fails for the second, which then takes the first one's key. */
async function makeKey(folder: string): Promise<Buffer> {
  const { link, unlink } = await import("node:fs/promises");
  const own = path.join(folder, `key.${randomBytes(8).toString("hex")}`);
  await writeWhole(own, randomBytes(32));
  await link(own, keyFile(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(own);
  return (await readKey(folder)) as Buffer;
}
