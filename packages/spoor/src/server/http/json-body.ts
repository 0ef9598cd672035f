import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 200;

/** Parses a request's body. Numbers keep their digits, so `JSON.stringify` returns them as they were sent. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (mediaType(request) !== "application/json") {
    throw new HttpError("unsupported_media_type", "The body is not declared as JSON.");
  }
  const text = decoded(await bytesOf(request));
  if (depthOf(text) > MAX_DEPTH)
    throw new HttpError("invalid_json", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    throw new HttpError("invalid_json", "The body is not valid JSON.");
  }
}

/** Parses the body of a request that may have none: then it is an empty object. */
export const readOptionalJson = async (request: IncomingMessage): Promise<unknown> =>
  hasNoBody(request) ? {} : readJson(request);

export function hasNoBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding === undefined && Number(length ?? 0) === 0;
}

/** A form on another page cannot send `application/json` without a CORS preflight, which this server never allows. */
export const mediaType = (request: IncomingMessage): string =>
  (request.headers["content-type"] ?? "").split(";", 1).join().trim().toLowerCase();

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // When the body is refused halfway, keep the connection, because the answer is sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new HttpError("body_too_large", `The body is larger than ${MAX_BYTES} bytes.`);

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError("invalid_json", "The body is not valid UTF-8.");
  }
}

/** The nesting depth, found without parsing. Deep JSON would overflow the stack of later readers. */
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

/** TypeScript's library does not declare `source` and `rawJSON` yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined || String(value) === context.source) return value;
  return rawJSON(context.source);
}
