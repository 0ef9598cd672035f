import { createEventRedactor, type EventRedactor } from "./events.ts";
import { type GivenSecret, shapesOfSecrets } from "./given-secrets.ts";
import { knownKinds } from "./kinds/index.ts";
import { createScanner, type RedactionStream, type Scanner } from "./scanner.ts";

export type { EventRedactor, GivenSecret, RedactionStream };

/** Replaces secrets before anything is written. */
export interface Redactor extends Scanner {
  /** A redactor for the events of one run. */
  events(): EventRedactor;
}

/**
 * Finds common kinds of keys, and the given secrets, which only the caller knows.
 *
 * @example
 * const redactor = createRedactor([{ value: "hunter2-hunter2", name: "password" }]);
 * console.log(redactor.redact("The password is hunter2-hunter2."));
 */
export function createRedactor(secrets: readonly GivenSecret[] = []): Redactor {
  const shared = secrets.length === 0 ? scannerOfKnown : createScanner([...shapesOfSecrets(secrets), ...knownKinds]);
  const scanner = { ...shared, redact: rememberLarge(shared.redact) };
  return { ...scanner, events: () => createEventRedactor(scanner) };
}

/** Texts of this length are redacted once, although they are written up to three times. */
const LARGE = 64 * 1024;

/**
 * Remembers the last large text and its result: the output of a call comes one after the other as an artifact, as a field of
 * an event and as a field of a raw line. To compare two texts is far cheaper than to search one.
 */
function rememberLarge(redact: (text: string) => string): (text: string) => string {
  let last = { text: "", redacted: "" };
  return (text) => {
    if (text.length < LARGE) return redact(text);
    if (text !== last.text) last = { text, redacted: redact(text) };
    return last.redacted;
  };
}

const scannerOfKnown = createScanner(knownKinds);
