import { createEnvelopeChecker } from "./check-envelopes.ts";
import { type Checker, createEventChecker } from "./check-events.ts";
import type { Finding } from "./finding.ts";

export interface StreamFinding {
  /** The run of the finding; empty when the item does not name one. */
  run: string;
  finding: Finding;
}

/**
 * Checks a stream of AgentEvents or envelopes that may mix several runs. Each run is checked on its own.
 *
 * @example
 * ```ts
 * import { createStreamChecker } from "@spoor/protocol";
 *
 * declare const lines: string[];
 * const checker = createStreamChecker();
 * const found = lines.flatMap((line) => checker.add(JSON.parse(line)));
 * for (const { run, finding } of [...found, ...checker.end()]) console.error(run, finding.message);
 * ```
 */
export function createStreamChecker(): {
  add(item: unknown): StreamFinding[];
  end(): StreamFinding[];
  /** Number of runs in the stream. */
  readonly runs: number;
} {
  const checkers = new Map<string, { run: string; checker: Checker<unknown> }>();

  const checkerFor = (item: unknown) => {
    const envelope = looksLikeEnvelope(item);
    const run = runOf(item, envelope ? "run_id" : "runId");
    const key = `${envelope ? "envelope" : "event"} ${run}`;
    const known = checkers.get(key);
    if (known) return known;
    const made = { run, checker: envelope ? createEnvelopeChecker() : createEventChecker() };
    checkers.set(key, made);
    return made;
  };

  return {
    add(item) {
      const { run, checker } = checkerFor(item);
      return checker.add(item).map((finding) => ({ run, finding }));
    },
    end: () => [...checkers.values()].flatMap(({ run, checker }) => checker.end().map((finding) => ({ run, finding }))),
    get runs() {
      return checkers.size;
    },
  };
}

/** One field that only envelopes have is enough, so that a broken envelope is still checked as an envelope. */
function looksLikeEnvelope(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return false;
  return ["schema_version", "event_id", "run_id", "sequence", "occurred_at"].some((name) => Object.hasOwn(item, name));
}

function runOf(item: unknown, name: string): string {
  const run = typeof item === "object" && item !== null ? (item as Record<string, unknown>)[name] : undefined;
  return typeof run === "string" ? run : "";
}
