import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { ModelRequest } from "./script.ts";

/** Reads the whole request. */
export async function recordRequest(incoming: IncomingMessage): Promise<Asked> {
  return { method: incoming.method ?? "", path: incoming.url ?? "", body: parse(await text(incoming)) };
}

export type Asked = Pick<ModelRequest, "method" | "path" | "body">;

/** A property of parsed JSON, or `undefined`. */
export function read(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function parse(body: string): unknown {
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
