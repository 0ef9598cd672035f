import { hash } from "node:crypto";

/**
 * The hash chain of a run: each link is the SHA-256, in hex, of the link before it followed by the envelope's text. It
 * goes from event to event, so how events are gathered into chunks does not matter to it. Anyone can check it:
 * `printf '%s%s' "$previous" "$line" | sha256sum`.
 */
export const link = (previous: string, line: string): string => linkOf(previous + line);

/** The same, of the two put together. */
export const linkOf = (linked: string | Buffer): string => hash("sha256", linked);

/** Before the first event. */
export const CHAIN_START = "0".repeat(64);
