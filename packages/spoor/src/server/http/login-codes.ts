import { hash, timingSafeEqual } from "node:crypto";
import { createToken } from "./token.ts";

/** Why a code is refused. */
export type LoginRefusal = "used" | "expired" | "guessed" | "unknown";

export interface LoginCodes {
  issue(): { code: string; expires_at: number };
  /** Uses a code up. Returns undefined when it was valid. */
  redeem(code: string): LoginRefusal | undefined;
}

const LIFE_MS = 15 * 60_000;
/** Limit of valid codes, and of former codes that are remembered to explain a refusal. */
const MAX_CODES = 100;
/** Wrong codes that may be tried before a valid code is revoked. */
const MAX_GUESSES = 10;

/**
 * One-time codes. A code is valid until it is used, expires, or `MAX_GUESSES` wrong codes were tried since it was issued.
 * Only digests are kept, and they are compared in constant time.
 */
export function createLoginCodes(now: () => number): LoginCodes {
  let valid: { digest: Buffer; until: number; guesses: number }[] = [];
  let former: { digest: Buffer; why: LoginRefusal }[] = [];

  function retire(isOver: (code: (typeof valid)[number]) => LoginRefusal | undefined): void {
    const over = valid.flatMap((code) => {
      const why = isOver(code);
      return why ? [{ digest: code.digest, why }] : [];
    });
    valid = valid.filter(({ digest }) => !over.some((code) => code.digest === digest));
    former = [...former, ...over].slice(-MAX_CODES);
  }

  return {
    issue() {
      retire(({ until }) => (until <= now() ? "expired" : undefined));
      const code = createToken();
      const until = now() + LIFE_MS;
      valid = [...valid, { digest: digestOf(code), until, guesses: 0 }].slice(-MAX_CODES);
      return { code, expires_at: until };
    },
    redeem(code) {
      const given = digestOf(code);
      retire(({ until }) => (until <= now() ? "expired" : undefined));
      const found = find(valid, given);
      if (found) {
        retire(({ digest }) => (digest === found.digest ? "used" : undefined));
        return undefined;
      }
      const known = find(former, given);
      // Opening the same link again is not a guess.
      if (known) return known.why;
      for (const one of valid) one.guesses += 1;
      retire(({ guesses }) => (guesses >= MAX_GUESSES ? "guessed" : undefined));
      return "unknown";
    },
  };
}

const digestOf = (code: string): Buffer => hash("sha256", code, "buffer");

/** Compares with every code, so that the time does not depend on which one matches. */
function find<Code extends { digest: Buffer }>(codes: readonly Code[], given: Buffer): Code | undefined {
  return codes.filter(({ digest }) => timingSafeEqual(digest, given))[0];
}
