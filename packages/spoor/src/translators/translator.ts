import type { Envelope } from "@spoor/protocol";

/**
 * Translates the envelopes of one run into the messages of another language. It is pure: the same envelopes give the same
 * messages, and the messages of a prefix are a prefix of the messages. Envelopes are given in order, from the first one.
 */
export interface Translator<Message> {
  /** Never throws: an envelope of an unknown type is passed on in the way the language has for such things. */
  translate(envelope: Envelope): Message[];
  /** What must follow if the stream ends here although the run goes on, so that what was sent is complete. */
  cut(): Message[];
  /**
   * What a stream that begins after the last envelope must begin with, so that it is complete: it opens again what is open.
   * Absent: the language has no way to begin in the middle, and its streams begin with the run.
   */
  reopen?(): Message[];
}

/** The payload of an envelope whose type was looked up. Fields that other programs wrote may be missing. */
export type Payload = Readonly<Record<string, unknown>>;

/** Returns a text field; the empty text if it is missing. */
export const text = (data: Payload, name: string): string => {
  const value = data[name];
  return typeof value === "string" ? value : "";
};

/** Returns a number, or undefined. */
export const number = (data: Payload, name: string): number | undefined => {
  const value = data[name];
  return typeof value === "number" ? value : undefined;
};

/** Returns a text field, or undefined if it is missing or empty. */
export const maybe = (data: Payload, name: string): string | undefined => text(data, name) || undefined;

/** Removes fields that are undefined: most languages know fields that are absent, but none that are null. */
export function present<T extends object>(fields: T): T {
  const found: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) found[name] = fields[name];
  return found as T;
}

/** What a tool returned, as text. */
export const asText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** What the model was told of a call that did not return: each end of a call has its own field for it. */
export function failureOf(type: string, data: Payload): string {
  return maybe(data, "error") ?? maybe(data, "reason") ?? maybe(data, "summary") ?? unsaid[type] ?? "The call failed.";
}

const unsaid: Readonly<Record<string, string>> = {
  "tool.cancelled": "The call was cancelled.",
  "tool.timed_out": "The call took too long.",
  "policy.tool_blocked": "The call was blocked.",
};
