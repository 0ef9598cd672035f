import { hash, timingSafeEqual } from "node:crypto";
import { createToken } from "./token.ts";

/** Why a code does not log anybody in. */
export type LoginRefusal = "used" | "expired" | "guessed" | "unknown";

export interface LoginCodes {
  issue(): { code: string; expires_at: number };
  /** Uses a code up; undefined when it was good. */
  redeem(code: string): LoginRefusal | undefined;
}

const LIFE_MS = 15 * 60_000;
/** Codes that are good at the same time, and codes that are remembered after they were. */
const MOST = 100;
/** Codes that were never given out and were tried all the same, while another one was good. */
export const MOST_GUESSES = 10;

/**
 * One-time codes. A code is good until it was used, its time is over, or `MOST_GUESSES` wrong codes were tried since it was
 * issued. Only digests are kept; they are compared in a time that does not depend on what is in them.
 */
export function createLoginCodes(now: () => number): LoginCodes {
  let good: { digest: Buffer; until: number; guesses: number }[] = [];
  let gone: { digest: Buffer; why: LoginRefusal }[] = [];

  function retire(isOver: (code: (typeof good)[number]) => LoginRefusal | undefined): void {
    const over = good.flatMap((code) => {
      const why = isOver(code);
      return why ? [{ digest: code.digest, why }] : [];
    });
    good = good.filter(({ digest }) => !over.some((code) => code.digest === digest));
    gone = [...gone, ...over].slice(-MOST);
  }

  return {
    issue() {
      retire(({ until }) => (until <= now() ? "expired" : undefined));
      const code = createToken();
      const until = now() + LIFE_MS;
      good = [...good, { digest: digestOf(code), until, guesses: 0 }].slice(-MOST);
      return { code, expires_at: until };
    },
    redeem(code) {
      const given = digestOf(code);
      retire(({ until }) => (until <= now() ? "expired" : undefined));
      const found = find(good, given);
      if (found) {
        retire(({ digest }) => (digest === found.digest ? "used" : undefined));
        return undefined;
      }
      const known = find(gone, given);
      // A link that is opened again is no guess.
      if (known) return known.why;
      for (const one of good) one.guesses += 1;
      retire(({ guesses }) => (guesses >= MOST_GUESSES ? "guessed" : undefined));
      return "unknown";
    },
  };
}

const digestOf = (code: string): Buffer => hash("sha256", code, "buffer");

/** Looks at every code, wherever the one that is looked for stands. */
function find<Code extends { digest: Buffer }>(codes: readonly Code[], given: Buffer): Code | undefined {
  return codes.filter(({ digest }) => timingSafeEqual(digest, given))[0];
}
