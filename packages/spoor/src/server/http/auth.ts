import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpError } from "./errors.ts";
import type { Guard } from "./guard.ts";
import { createLoginCodes, type LoginRefusal } from "./login-codes.ts";

export interface Auth {
  /** Throws unless the request carries the token, or our cookie from our own page. */
  authorise(request: IncomingMessage): void;
  /** A code for a link that logs a browser in: once, and not for long. */
  issueCode(): { code: string; expires_at: number };
  /** The `Set-Cookie` of the login. Throws when the code is not good. */
  redeem(code: string): string;
}

export interface AuthOptions {
  token: string;
  /** Cookies of one host are sent to all its ports, so each server has a name of its own. */
  port: number;
  guard: Guard;
  now?: () => number;
}

const ATTEMPTS_PER_MINUTE = 60;

export function createAuth({ token, port, guard, now = Date.now }: AuthOptions): Auth {
  const cookieName = `spoor_${port}`;
  const cookieValue = createHmac("sha256", token).update(cookieName).digest("base64url");
  const isToken = sameAs(token);
  const isCookie = sameAs(cookieValue);
  const codes = createLoginCodes(now);
  let failures = { since: 0, count: 0 };

  function refuse(message: string): never {
    if (now() - failures.since > 60_000) failures = { since: now(), count: 0 };
    failures.count += 1;
    // Guessing 256 bits is hopeless anyway; this only makes it quiet. The right token passes at any time.
    if (failures.count > ATTEMPTS_PER_MINUTE) {
      throw new HttpError("too_many_attempts", "Too many wrong tokens.", { "Retry-After": "60" });
    }
    throw new HttpError("unauthorized", message, { "WWW-Authenticate": "Bearer" });
  }

  return {
    authorise(request) {
      const presented = bearerOf(request);
      if (presented !== undefined) {
        if (!isToken(presented)) refuse("That is not the token.");
        return;
      }
      const cookie = cookieOf(request, cookieName);
      if (cookie === undefined)
        throw new HttpError("unauthorized", "A token is needed.", { "WWW-Authenticate": "Bearer" });
      if (!isCookie(cookie)) refuse("That cookie is not, or no longer, good.");
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
  used: "This login link was used before. A link works once.",
  expired: "This login link is too old. A link works for 15 minutes.",
  guessed: "This login link was given up because somebody tried too many wrong ones.",
  unknown: "This server has not issued this login link, or was started again since.",
};

/** Compares in a time that tells nothing but the length, which is no secret. */
function sameAs(secret: string): (text: string) => boolean {
  const expected = Buffer.from(secret);
  return (text) => {
    const given = Buffer.from(text);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

/** From the header, or from the subprotocol that is all a browser can send with a WebSocket. */
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
