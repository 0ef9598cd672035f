import { createHash } from "node:crypto";
import { storedList } from "./stored-list.ts";

/** A file of rules that the user trusts, in exactly this content. */
export interface TrustedFile {
  file: string;
  sha256: string;
  trusted_at: string;
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const list = storedList<TrustedFile>(
  "trust.json",
  "trusted",
  (one) => typeof one.file === "string" && typeof one.sha256 === "string",
  "so no project's rules are trusted. Remove it and run `spoor trust` again.",
);

/** Lists what the user trusts. A list that cannot be read throws: nothing is trusted then. */
export const readTrusted: (directory: string) => TrustedFile[] = list.read;

/** Returns whether the user trusts this file with this content. */
export const isTrusted = (trusted: readonly TrustedFile[], file: string, sha256: string): boolean =>
  trusted.some((one) => one.file === file && one.sha256 === sha256);

/** Adds a file, or replaces what was trusted of it. */
export const addTrusted = (directory: string, entry: TrustedFile): void =>
  list.change(directory, (trusted) => [...trusted.filter(({ file }) => file !== entry.file), entry]);

/** Removes a file. Returns false if it was not trusted. */
export function removeTrusted(directory: string, file: string): boolean {
  if (!readTrusted(directory).some((one) => one.file === file)) return false;
  list.change(directory, (trusted) => trusted.filter((one) => one.file !== file));
  return true;
}
