import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolProblem } from "../kit/define-tool.ts";

/** The body of a response, up to a size. */
export interface Body {
  bytes: Buffer;
  isCut: boolean;
}

/** How bodies may be compressed. */
export const ENCODINGS = "gzip, deflate, br";

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads a body and unpacks it. Nothing is unpacked beyond the limit, however small the packed body is. */
export async function readBody(response: IncomingMessage, most: number): Promise<Body> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const decoder = decoders[encoding];
  if (!decoder && encoding !== "identity" && encoding !== "") {
    response.destroy();
    throw new ToolProblem(`The body is packed in a way that cannot be unpacked: ${encoding}.`);
  }
  const source: Readable = decoder ? unpack(response, decoder()) : response;
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      pieces.push(piece.subarray(0, most - size));
      size += piece.length;
      if (size > most) return { bytes: Buffer.concat(pieces), isCut: true };
    }
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!code.startsWith("Z_") && !code.startsWith("ERR_")) throw error;
    throw new ToolProblem("The packed body of the response is damaged.");
  } finally {
    source.destroy();
    response.destroy();
  }
  return { bytes: Buffer.concat(pieces), isCut: false };
}

function unpack(response: IncomingMessage, decoder: NodeJS.ReadWriteStream & Readable): Readable {
  response.on("error", (error) => decoder.destroy(error));
  response.pipe(decoder);
  return decoder;
}

/** The text of a body. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}

/** Whether a content type is text that a model can read. */
export const isTextual = (contentType: string): boolean =>
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|javascript|x-ndjson|toml|x-sh|graphql))/i.test(contentType);
