/**
 * Monotonic ULIDs. Within one millisecond the random part is incremented, and when the clock goes back the last time is
 * kept, so the ids of one source always increase. Only the last two characters are rendered for each id.
 */

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const PAIRS = Array.from({ length: 1024 }, (_, n) => ALPHABET.charAt(n >> 5) + ALPHABET.charAt(n & 31));
const MAX_TIME = 2 ** 48 - 1;

export interface UlidOptions {
  /** Epoch milliseconds. */
  now?: () => number;
  /** A prefix for every id. */
  prefix?: string;
  /** Returns a float in [0, 1). Ids are not secrets, so `Math.random` is enough. */
  random?: () => number;
}

/**
 * Returns a function that returns a greater ULID on every call.
 *
 * @example
 * ```ts
 * import { createUlidSource } from "@spoor/protocol/ids";
 *
 * const nextId = createUlidSource({ prefix: "run_" });
 * const [first, second] = [nextId(), nextId()];
 * console.log(first < second); // true
 * ```
 */
export function createUlidSource({
  now = Date.now,
  random = Math.random,
  prefix = "",
}: UlidOptions = {}): () => string {
  let time = -1;
  // The 80 random bits are kept as 40, 30 and 10 bits, which are exact integers. The text before the last ten bits is
  // rendered only when it changes.
  let high = 0;
  let middle = 0;
  let last = 0;
  let head = "";

  const render = () => {
    head = headOf(prefix, time, high, middle);
  };

  return () => {
    const current = Math.min(Math.max(Math.floor(now()), 0), MAX_TIME);
    if (current > time) {
      time = current;
      // The top bit stays 0, so that incrementing cannot overflow in the lifetime of a process.
      high = Math.floor(random() * 2 ** 39);
      const low = Math.floor(random() * 2 ** 40);
      middle = Math.floor(low / 1024);
      last = low % 1024;
      render();
    } else if (last < 1023) {
      last += 1;
    } else {
      last = 0;
      middle = (middle + 1) % 2 ** 30;
      if (middle === 0) high += 1;
      render();
    }
    return head + pair(last);
  };
}

/** Returns the epoch milliseconds of a ULID, with or without a prefix. */
export function ulidTime(id: string): number {
  const start = id.length - 26;
  let time = 0;
  for (let i = 0; i < 10; i++) time = time * 32 + ALPHABET.indexOf(id.charAt(start + i));
  return time;
}

/** The prefix of each kind of id. */
export const idPrefixes = {
  event: "evt_",
  run: "run_",
  task: "task_",
  session: "chat_",
  approval: "appr_",
  artifact: "art_",
  checkpoint: "ckpt_",
} as const;

export type IdKind = keyof typeof idPrefixes;

/** Adds the prefix of a kind: `prefixed("run", ulid)` is `run_<ulid>`. */
export const prefixed = (kind: IdKind, ulid: string): string => idPrefixes[kind] + ulid;

/** Removes the prefix of a kind. Returns the text itself when it has no such prefix. */
export const unprefixed = (kind: IdKind, id: string): string =>
  id.startsWith(idPrefixes[kind]) ? id.slice(idPrefixes[kind].length) : id;

/** Uses `join` instead of `+`: this text is copied into every id, and a flat string copies faster than a rope. */
const headOf = (prefix: string, time: number, high: number, middle: number): string =>
  [prefix, encodeTime(time), encode40(high), pair(middle >> 20), pair(middle >> 10), pair(middle)].join("");

function encodeTime(time: number): string {
  const high = Math.floor(time / 2 ** 30);
  const low = time % 2 ** 30;
  return pair(high >> 10) + pair(high) + pair(low >> 20) + pair(low >> 10) + pair(low);
}

function encode40(value: number): string {
  const high = Math.floor(value / 2 ** 20);
  const low = value % 2 ** 20;
  return pair(high >> 10) + pair(high) + pair(low >> 10) + pair(low);
}

const pair = (bits: number): string => PAIRS[bits & 1023] as string;
