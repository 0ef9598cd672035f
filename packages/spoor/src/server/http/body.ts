import type { IncomingMessage } from "node:http";
import { HttpError } from "./errors.ts";

const MOST_BYTES = 1024 * 1024;
const DEEPEST = 200;

/** The JSON of a request's body. Numbers keep the digits they were sent with, so that `JSON.stringify` gives them back. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (mediaType(request) !== "application/json") {
    throw new HttpError("unsupported_media_type", "The body must be JSON.");
  }
  const text = decoded(await bytesOf(request));
  if (depthOf(text) > DEEPEST) throw new HttpError("invalid_json", `The body is nested deeper than ${DEEPEST} levels.`);
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    throw new HttpError("invalid_json", "The body is not JSON.");
  }
}

/** A form on another page can send a body, but not under this media type, not without asking us first. */
export const mediaType = (request: IncomingMessage): string =>
  (request.headers["content-type"] ?? "").split(";", 1).join().trim().toLowerCase();

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > MOST_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // What is refused on the way is still answered, on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new HttpError("body_too_large", `The body is larger than ${MOST_BYTES} bytes.`);

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError("invalid_json", "The body is not UTF-8.");
  }
}

/** How deep arrays and objects stand in each other, without parsing. Deep ones would exhaust the stack of later readers. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) quoted = !quoted;
    else if (quoted) index += character === BACKSLASH ? 1 : 0;
    else if (OPENING.includes(character)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.includes(character)) depth -= 1;
  }
  return deepest;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = [91, 123];
const CLOSING = [93, 125];

/** The types of the standard library do not know of `source` and `rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined || String(value) === context.source) return value;
  return rawJSON(context.source);
}
