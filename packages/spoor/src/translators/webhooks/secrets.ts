import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../../log/make-directory.ts";
import { SECRET_PREFIX } from "./sign.ts";

/** Where the secrets of a receiver come from. */
export interface SecretSource {
  /** What to tell a person who looks for the secret. */
  readonly place: string;
  /** The secrets, newest first. Read before every attempt, so that a changed file takes effect at once. */
  read(): Promise<readonly string[]>;
}

/** Secrets that were given as a text, such as that of an environment variable. */
export function givenSecrets(text: string, place: string): SecretSource {
  const secrets = secretsIn(text, place);
  return { place, read: async () => secrets };
}

/** Secrets in a file of the user. */
export const secretsOfFile = (file: string): SecretSource => ({
  place: path.resolve(file),
  read: async () => secretsIn(await readPrivate(file), file),
});

/** The secret in a file of ours, which is created if it does not exist. */
export async function ownSecrets(file: string): Promise<SecretSource> {
  makeDirectory(path.dirname(file), 0o700);
  const source = secretsOfFile(file);
  try {
    await source.read();
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") throw error;
    await create(file);
    await source.read();
  }
  return source;
}

/** By the standard, a secret has from 24 to 64 bytes. */
function secretsIn(text: string, place: string): readonly string[] {
  const secrets = text.split(/\s+/).filter((word) => word !== "");
  const areValid = secrets.every((secret) => {
    const key = secret.slice(SECRET_PREFIX.length);
    const bytes = Buffer.from(key, "base64");
    // Libraries of receivers do not read base64 without its padding.
    const isWhole = bytes.toString("base64") === key;
    return secret.startsWith(SECRET_PREFIX) && isWhole && bytes.length >= 24 && bytes.length <= 64;
  });
  if (secrets.length > 0 && areValid) return secrets;
  throw new Error(
    `${place} holds no valid secret. It must hold one secret, or several on lines of their own, each of them ${SECRET_PREFIX} followed by 24 to 64 bytes in base64. ` +
      "Make one with: echo whsec_$(openssl rand -base64 32)",
  );
}

async function create(file: string): Promise<void> {
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    const secret = `${SECRET_PREFIX}${randomBytes(32).toString("base64")}\n`;
    await writeFile(fresh, secret, { flag: "wx", mode: 0o600, flush: true });
    // A link never replaces a file, so the first of several processes wins.
    await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Reads a file that nobody else can read. */
async function readPrivate(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`The secret of webhooks in ${file} cannot be read: ${cause.message}.`, { cause });
  });
  try {
    const { mode } = await handle.stat();
    if (process.platform !== "win32" && mode & 0o077)
      throw new Error(`Other users can read the secret of webhooks in ${file}. Run: chmod 600 ${file}`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}
