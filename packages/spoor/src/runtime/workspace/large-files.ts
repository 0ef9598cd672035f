import { createHash } from "node:crypto";
import { type BigIntStats, createReadStream } from "node:fs";
import type { FileContent } from "./snapshot.ts";

/** Hashes large files, again only when their stat data changed. */
export class LargeFiles {
  #known = new Map<string, FileContent & { stamp: string }>();

  async describe(file: Buffer, name: string, stats: BigIntStats): Promise<FileContent> {
    const stamp = [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(" ");
    const known = this.#known.get(name);
    if (known?.stamp === stamp) return known;
    const hash = createHash("sha256");
    try {
      for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
    } catch {
      // It was removed meanwhile. The next snapshot sees that.
    }
    const mode = (stats.mode & 0o100n) === 0n ? "100644" : "100755";
    const large = { stamp, size: Number(stats.size), sha256: hash.digest("hex"), mode };
    this.#known.set(name, large);
    return large;
  }

  /** Forgets all others. */
  keep(names: ReadonlyMap<string, unknown>): void {
    this.#known = new Map([...this.#known].filter(([name]) => names.has(name)));
  }
}
