import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** How the bytes of an answer are encoded. */
export type Encoding = "identity" | "gzip" | "br";

/** One file of the page. */
export interface PageFile {
  type: string;
  etag: string;
  /** Compressed at the first use, then kept. */
  bytes(encoding: Encoding): Promise<Buffer>;
  /** The encodings that make it smaller, best first. */
  encodings: readonly Encoding[];
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
};

/** Reads the files of a folder. A file is read again when it has changed, such as after a build. */
export function createPageFiles(folder: string): (name: string) => Promise<PageFile | undefined> {
  const known = new Map<string, { version: string; file: Promise<PageFile> }>();
  return async (name) => {
    const place = path.join(folder, name);
    const found = await stat(place).catch(() => undefined);
    const type = types[path.extname(name)];
    if (!found?.isFile() || type === undefined) {
      known.delete(name);
      return undefined;
    }
    const version = `${found.mtimeMs} ${found.size} ${found.ino}`;
    const kept = known.get(name);
    if (kept?.version === version) return kept.file;
    const file = readFile(place).then((bytes) => pageFile(bytes, type));
    known.set(name, { version, file });
    file.catch(() => known.delete(name));
    return file;
  };
}

function pageFile(plain: Buffer, type: string): PageFile {
  const versions = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    etag: createHash("sha256").update(plain).digest("base64url").slice(0, 22),
    encodings: type.startsWith("image/png") || plain.length < 1_000 ? [] : ["br", "gzip"],
    bytes(encoding) {
      const bytes = versions.get(encoding) ?? encode[encoding](plain);
      versions.set(encoding, bytes);
      return bytes;
    },
  };
}

const encode: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
};
