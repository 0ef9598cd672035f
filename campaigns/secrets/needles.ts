import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Pieces of secrets of this length are looked for: a part of one is a leak, too. */
const LENGTH = 12;

/** Looks for many secrets in many bytes at once. */
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
    /** Every byte of every file, however deep. */
    async searchFiles(directory: string): Promise<void> {
      for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
        if (entry.isFile()) search(await readFile(join(entry.parentPath, entry.name), "latin1"));
      }
    },
    found: (secret: string): boolean => piecesOf(secret).some((piece) => seen.has(piece)),
  };
}

/** From the middle and from the end of its longest line: the beginning of many secrets is known to everybody. */
function piecesOf(secret: string): string[] {
  const line = secret.split("\n").reduce((longest, each) => (each.length > longest.length ? each : longest));
  const middle = Math.floor((line.length - LENGTH) / 2);
  return [line.slice(middle, middle + LENGTH), line.slice(-LENGTH)];
}
