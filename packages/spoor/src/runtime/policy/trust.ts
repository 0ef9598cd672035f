import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SpoorError } from "../../failures/errors.ts";
import { makeDirectory } from "../../log/make-directory.ts";

/** A file of rules that the user trusts, in exactly this content. */
export interface TrustedFile {
  file: string;
  sha256: string;
  trusted_at: string;
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export const trustFile = (directory: string): string => path.join(directory, "trust.json");

/** Lists what the user trusts. A list that cannot be read throws: nothing is trusted then. */
export function readTrusted(directory: string): TrustedFile[] {
  const file = trustFile(directory);
  let written: string;
  try {
    written = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new SpoorError("CONFIG_ERROR", `Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    const { trusted } = JSON.parse(written) as { trusted: TrustedFile[] };
    if (trusted.every((one) => typeof one.file === "string" && typeof one.sha256 === "string")) return trusted;
  } catch {
    // Reported below, as any other content that is not a list.
  }
  throw new SpoorError(
    "CONFIG_ERROR",
    `${file} is damaged, so no project's rules are trusted. Remove it and run \`spoor trust\` again.`,
  );
}

/** Returns whether the user trusts this file with this content. */
export const isTrusted = (trusted: readonly TrustedFile[], file: string, sha256: string): boolean =>
  trusted.some((one) => one.file === file && one.sha256 === sha256);

/** Adds a file, or replaces what was trusted of it. */
export function addTrusted(directory: string, entry: TrustedFile): void {
  const others = readTrusted(directory).filter(({ file }) => file !== entry.file);
  write(directory, [...others, entry]);
}

/** Removes a file. Returns false if it was not trusted. */
export function removeTrusted(directory: string, file: string): boolean {
  const trusted = readTrusted(directory);
  const rest = trusted.filter((one) => one.file !== file);
  if (rest.length === trusted.length) return false;
  write(directory, rest);
  return true;
}

/** Writes atomically: a reader sees the old list or the new one. */
function write(directory: string, trusted: readonly TrustedFile[]): void {
  makeDirectory(directory);
  const draft = `${trustFile(directory)}.${process.pid}.new`;
  try {
    writeFileSync(draft, `${JSON.stringify({ trusted }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, trustFile(directory));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
