import { createHash, type Hash } from "node:crypto";
import type { ShadowRepository } from "./shadow-repository.ts";
import { contentOf, type FileContent, MAX_FILE_BYTES, SnapshotError } from "./snapshot.ts";

/** All contents that are read for one comparison together have at most this many bytes. Others are known by hash and size. */
const MAX_BYTES = 100 * 1024 * 1024;

type Content = Omit<FileContent, "mode">;

/** Reads contents by their object ids. */
export async function readContents(
  repository: ShadowRepository,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Content>> {
  if (ids.length === 0) return new Map();
  const reader = new BlobReader();
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(""), "latin1");
  await repository.run(["cat-file", "--batch"], input, (piece) => reader.push(piece));
  return reader.end();
}

/** A blob whose bytes are arriving. */
interface Arriving {
  id: string;
  size: number;
  missing: number;
  isBlob: boolean;
  /** Collects the bytes, unless they are too many. */
  pieces?: Buffer[];
  hash?: Hash;
}

/** Reads the output of `git cat-file --batch`: a line `<id> <type> <size>` before the bytes of each object and a newline after. */
class BlobReader {
  readonly #contents = new Map<string, Content>();
  #bytes = 0;
  #line = "";
  #arriving: Arriving | undefined;

  push(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) at = this.#arriving ? this.#takeBytes(piece, at) : this.#takeLine(piece, at);
  }

  end(): ReadonlyMap<string, Content> {
    if (this.#arriving) throw new SnapshotError("Git returned less than the content of a file.");
    return this.#contents;
  }

  #takeLine(piece: Buffer, at: number): number {
    const end = piece.indexOf(10, at);
    this.#line += piece.toString("latin1", at, end < 0 ? piece.length : end);
    if (end < 0) return piece.length;
    const [id = "", type, length] = this.#line.split(" ");
    this.#line = "";
    // The line of an object that does not exist is `<id> missing`.
    if (length === undefined) return end + 1;
    const size = Number(length);
    this.#bytes += size;
    const isKept = size <= MAX_FILE_BYTES && this.#bytes <= MAX_BYTES;
    this.#arriving = {
      ...{ id, size, missing: size + 1, isBlob: type === "blob" },
      ...(isKept ? { pieces: [] } : { hash: createHash("sha256") }),
    };
    return end + 1;
  }

  #takeBytes(piece: Buffer, at: number): number {
    const arriving = this.#arriving as Arriving;
    const end = Math.min(piece.length, at + arriving.missing);
    // The last missing byte is the newline.
    const bytes = piece.subarray(at, Math.min(end, at + arriving.missing - 1));
    arriving.pieces?.push(bytes);
    arriving.hash?.update(bytes);
    arriving.missing -= end - at;
    if (arriving.missing === 0) this.#finish(arriving);
    return end;
  }

  #finish({ id, size, isBlob, pieces = [], hash }: Arriving): void {
    this.#arriving = undefined;
    if (!isBlob) return;
    const { mode: _, ...content } = contentOf("", Buffer.concat(pieces));
    this.#contents.set(id, hash ? { size, sha256: hash.digest("hex") } : content);
  }
}
