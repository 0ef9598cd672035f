import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The search looks for pieces of this length, because a part of a secret is a leak, too. */
const LENGTH = 12;

/** Searches bytes for many secrets at once. */
export function createNeedles() {
  const needles = new Set<string>();
  const seen = new Set<string>();

  function search(text: string): void {
    for (let at = 0; at + LENGTH <= text.length; at++) {
      const piece = text.slice(at, at + LENGTH);
      if (needles.has(piece)) seen.add(piece);
    }
  }

  return {
    add(secret: string): void {
      for (const piece of piecesOf(secret)) needles.add(piece);
    },
    search,
    /** Searches every byte of every file below a folder. */
    async searchFiles(directory: string): Promise<void> {
      for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
        if (entry.isFile()) search(await readFile(join(entry.parentPath, entry.name), "latin1"));
      }
    },
    found: (secret: string): boolean => piecesOf(secret).some((piece) => seen.has(piece)),
  };
}

/** Takes pieces from the middle and the end of the longest line, because many kinds of secrets share a public prefix. */
function piecesOf(secret: string): string[] {
  const line = secret.split("\n").reduce((longest, each) => (each.length > longest.length ? each : longest));
  const middle = Math.floor((line.length - LENGTH) / 2);
  return [line.slice(middle, middle + LENGTH), line.slice(-LENGTH)];
}
