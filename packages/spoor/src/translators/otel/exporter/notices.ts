import type { Outcome } from "./post.ts";
import type { Signal } from "./settings.ts";

/** Says what goes wrong with the export: one line when it begins and one when it is over, however often it is tried. */
export interface Notices {
  note(signal: Signal, url: URL, outcome: Outcome): void;
}

type Trouble = "unavailable" | "refused" | "partial";

export function createNotices(say: (line: string) => void): Notices {
  /** By signal. */
  const troubles = new Map<Signal, { kind: Trouble; host: string }>();
  const isTold = (kind: Trouble, host: string, but?: Signal) =>
    [...troubles].some(([signal, told]) => signal !== but && told.kind === kind && told.host === host);
  return {
    note(signal, url, outcome) {
      const { host } = url;
      const kind = troubleOf(outcome);
      const before = troubles.get(signal);
      if (kind === undefined) {
        troubles.delete(signal);
        // Both signals mostly go to the same receiver: it is told once that it is back.
        if (before?.kind === "unavailable" && !isTold("unavailable", host)) say(`${host} takes telemetry again.`);
        return;
      }
      const isNews = before?.kind !== kind && !(kind === "unavailable" && isTold(kind, host, signal));
      troubles.set(signal, { kind, host });
      if (isNews) say(sentenceOf(signal, url, outcome));
    },
  };
}

function troubleOf(outcome: Outcome): Trouble | undefined {
  if (outcome.kind !== "accepted") return outcome.kind;
  return outcome.refusal === undefined ? undefined : "partial";
}

function sentenceOf(signal: Signal, { protocol, host, pathname }: URL, outcome: Outcome): string {
  // Neither a password nor a key in the query is shown.
  const where = `${protocol}//${host}${pathname}`;
  if (outcome.kind === "accepted") return `${where} took ${signal}, but ${outcome.refusal}.`;
  if (outcome.kind === "unavailable") {
    return (
      `Telemetry cannot be exported to ${where} now: ${outcome.reason}. ` +
      "Runs go on and are recorded as usual; what is missing is exported later."
    );
  }
  return (
    `${where} refuses ${signal}: ${outcome.reason}. They are not sent again. Check the endpoint and the headers ` +
    "(OTEL_EXPORTER_OTLP_…); `spoor export RUN --format otel` writes a trace to a file."
  );
}
