import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

/** The `Idempotency-Key` of a request; undefined if it has none. */
export function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpError(
      "invalid_parameter",
      "Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.",
    );
  }
  return key;
}
