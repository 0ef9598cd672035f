import { hash } from "node:crypto";

/**
 * The hash chain of a run: each link is the SHA-256, in hex, of the previous link followed by the envelope's text. It goes
 * from event to event, so it does not depend on how events are grouped into chunks. Anyone can check it:
 * `printf '%s%s' "$previous" "$line" | sha256sum`.
 */
export const link = (previous: string, line: string): string => hash("sha256", previous + line);

/** The link before the first event. */
export const CHAIN_START = "0".repeat(64);
