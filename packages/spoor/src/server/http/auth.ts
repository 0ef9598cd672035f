import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Guard } from "./guard.ts";
import { HttpError } from "./http-error.ts";
import { createLoginCodes, type LoginRefusal } from "./login-codes.ts";

/** Checks who may call the server. */
export interface ServerAuth {
  /** Throws unless the request carries the token, or the server's cookie from the server's own page. */
  authorise(request: IncomingMessage): void;
  /** Creates a one-time code for a link that logs a browser in. */
  issueCode(): { code: string; expires_at: number };
  /** Uses a code up and returns the `Set-Cookie` header. Throws when the code is invalid. */
  redeem(code: string): string;
}

export interface AuthOptions {
  token: string;
  /** Part of the cookie's name: browsers send the cookies of a host to all its ports. */
  port: number;
  guard: Guard;
  now?: () => number;
}

const ATTEMPTS_PER_MINUTE = 60;

export function createAuth({ token, port, guard, now = Date.now }: AuthOptions): ServerAuth {
  const cookieName = `spoor_${port}`;
  const cookieValue = createHmac("sha256", token).update(cookieName).digest("base64url");
  const isToken = equals(token);
  const isCookie = equals(cookieValue);
  const codes = createLoginCodes(now);
  let failures = { since: 0, count: 0 };

  function refuse(message: string): never {
    if (now() - failures.since > 60_000) failures = { since: now(), count: 0 };
    failures.count += 1;
    // Guessing 256 bits is hopeless; this limit only reduces the noise. The right token is always accepted.
    if (failures.count > ATTEMPTS_PER_MINUTE) {
      throw new HttpError("too_many_attempts", "There were too many requests with a wrong token in the last minute.", {
        "Retry-After": "60",
      });
    }
    throw new HttpError("unauthorized", message, { "WWW-Authenticate": "Bearer" });
  }

  return {
    authorise(request) {
      const presented = bearerOf(request);
      if (presented !== undefined) {
        if (!isToken(presented)) refuse("The token is wrong.");
        return;
      }
      const cookie = cookieOf(request, cookieName);
      if (cookie === undefined)
        throw new HttpError("unauthorized", "This request carries no token.", { "WWW-Authenticate": "Bearer" });
      if (!isCookie(cookie)) refuse("The login cookie is wrong or was issued for an older token.");
      guard.ownPage(request);
    },
    issueCode: () => codes.issue(),
    redeem(code) {
      const refusal = codes.redeem(code);
      if (refusal) throw new HttpError("login_code_used", refusals[refusal]);
      return `${cookieName}=${cookieValue}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000`;
    },
  };
}

const refusals: Record<LoginRefusal, string> = {
  used: "This login link was already used. Each link works once.",
  expired: "This login link has expired. Each link works for 15 minutes.",
  guessed: "This login link was revoked because too many wrong links were tried.",
  unknown: "This server did not issue this login link, or was restarted since.",
};

/** Compares in constant time. Only the length can be observed, and it is not secret. */
function equals(secret: string): (text: string) => boolean {
  const expected = Buffer.from(secret);
  return (text) => {
    const given = Buffer.from(text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

/** Reads the token from the header or, for WebSockets, from a subprotocol: browsers cannot send headers with those. */
function bearerOf(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  if (request.headers.upgrade === undefined) return undefined;
  return subprotocols(request)
    .find((name) => name.startsWith("bearer."))
    ?.slice("bearer.".length);
}

export const subprotocols = (request: IncomingMessage): string[] =>
  (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());

function cookieOf(request: IncomingMessage, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
