import { ExitError } from "../exit-error.ts";

/** Reads a time span such as `90s`, `5m`, `1h30m` or `30d`. Returns milliseconds. */
export function duration(name: string): (text: string) => number {
  return (text) => {
    const span = millisecondsOf(text);
    if (span !== undefined) return span;
    throw new ExitError(2, `${name} takes a time span such as ${EXAMPLES}, not "${text}".`);
  };
}

/** Reads the time span of a timer, in milliseconds. A plain number is seconds. */
export function timer(name: string): (text: string) => number {
  return (text) => {
    const span = /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1_000) : (millisecondsOf(text) ?? 0);
    if (span >= 1 && span <= LONGEST_TIMER_MS) return span;
    if (span > LONGEST_TIMER_MS) throw new ExitError(2, `${name} takes at most 24d, not "${text}".`);
    throw new ExitError(2, `${name} takes seconds, or a time span such as ${EXAMPLES}, not "${text}".`);
  };
}

/** Reads a point in time: a time span before now, or an RFC 3339 time. Returns epoch milliseconds. */
export function moment(name: string, now = Date.now): (text: string) => number {
  return (text) => {
    const span = millisecondsOf(text);
    if (span !== undefined) return now() - span;
    const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    throw new ExitError(
      2,
      `${name} takes how long ago, such as ${EXAMPLES}, or a time such as 2026-11-16T09:00:00Z, not "${text}".`,
    );
  };
}

/** Node's timers overflow after 2^31 - 1 milliseconds, which is between 24 and 25 days. */
const LONGEST_TIMER_MS = 24 * 86_400_000;

const EXAMPLES = "90s, 5m, 1h30m or 30d";

/** A date without a time means midnight UTC. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/i;

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The sum of one or more numbers with units; undefined if the text is anything else or repeats a unit. */
function millisecondsOf(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/i.test(text)) return undefined;
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)];
  const letters = parts.map(([, , letter]) => letter as keyof typeof units);
  const total = parts.reduce((sum, [, number], index) => sum + Number(number) * units[letters[index] ?? "ms"], 0);
  return new Set(letters).size === letters.length && Number.isSafeInteger(Math.round(total))
    ? Math.round(total)
    : undefined;
}
