import { createEventRedactor, type EventRedactor } from "./events.ts";
import { type GivenSecret, shapesOfSecrets } from "./given-secrets.ts";
import { knownKinds } from "./kinds/index.ts";
import { createScanner, type Scanner } from "./scanner.ts";

export type { EventRedactor, GivenSecret };

/** Takes secrets out of what is about to be written. */
export interface Redactor extends Scanner {
  /** For the events of one run. */
  events(): EventRedactor;
}

/** Knows the shapes of common keys; `secrets` are those only the caller knows. */
export function createRedactor(secrets: readonly GivenSecret[] = []): Redactor {
  const scanner = secrets.length === 0 ? scannerOfKnown : createScanner([...shapesOfSecrets(secrets), ...knownKinds]);
  return { ...scanner, events: () => createEventRedactor(scanner) };
}

const scannerOfKnown = createScanner(knownKinds);
