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
  const scanner = secrets.length === 0 ? scannerOfKnown : createScanner([...shapesOfSecrets(secrets), ...knownKinds]);
  return { ...scanner, events: () => createEventRedactor(scanner) };
}

const scannerOfKnown = createScanner(knownKinds);
