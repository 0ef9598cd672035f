import { TIME_ZONE } from "./time-zone.ts";

/** How figures and times are written. A value that is not known is a dash, never zero. Times are RFC 3339 or epoch ms. */

export const UNKNOWN = "—";

type When = string | number;

const msOf = (when: When): number => (typeof when === "number" ? when : Date.parse(when));

/** Millionths of a dollar: `$0.0098`, `$0.61`, `$1,204.50`. */
export function money(micros: number | undefined): string {
  if (micros === undefined || !Number.isFinite(micros)) return UNKNOWN;
  const dollars = micros / 1_000_000;
  if (micros === 0) return "$0.00";
  if (dollars < 0.0001) return "<$0.0001";
  return `$${(dollars < 0.1 ? cents4 : cents2).format(dollars)}`;
}

/** A cost and where it comes from, in one word: `reported`, `estimated`, or `unknown` if nobody says. */
export function cost(micros: number | undefined, source: string | undefined): { amount: string; source: string } {
  const isKnown = micros !== undefined && (micros > 0 || source !== undefined);
  return isKnown
    ? { amount: money(micros), source: sourceWord(source ?? "unknown") }
    : { amount: UNKNOWN, source: "unknown" };
}

/** Where a cost comes from, in one word. */
export const sourceWord = (source: string): string => sourceWords[source] ?? source;

const sourceWords: Readonly<Record<string, string>> = { agent_reported: "reported", none: "no model" };

/** Where a cost comes from, in a few words. `source` is a word of `cost`. */
export const sourcePhrase = (source: string): string => sourcePhrases[source] ?? source;

const sourcePhrases: Readonly<Record<string, string>> = {
  reported: "reported by the agent",
  estimated: "estimated from list prices",
  billed: "billed by the provider",
  unknown: "not known",
};

const cents4 = new Intl.NumberFormat("en-US", { minimumFractionDigits: 4, maximumFractionDigits: 4 });
const cents2 = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** How long a run or a turn takes: `0:52`, `11:27`, `4 h 51 min`, `2 d 3 h`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < HOUR) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return span(ms);
}

/** How long a step takes: `41 ms`, `1.8 s`, `12 s`, then as `duration`. */
export function stepTime(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return UNKNOWN;
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : duration(ms);
}

/** A span of time in words: `12 s`, `3 min`, `4 h 6 min`, `2 d 3 h`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / 60)} min`;
  const [big, small, bigWord, smallWord] =
    seconds < 24 * HOUR
      ? [Math.floor(seconds / HOUR), Math.floor((seconds % HOUR) / 60), "h", "min"]
      : [Math.floor(seconds / (24 * HOUR)), Math.floor((seconds % (24 * HOUR)) / HOUR), "d", "h"];
  return small === 0 ? `${big} ${bigWord}` : `${big} ${bigWord} ${small} ${smallWord}`;
}

const HOUR = 3600;

/** `just now`, `12 min ago`, `5 h ago`, `3 d ago`. */
export function ago(when: When, now: number): string {
  const seconds = Math.floor((now - msOf(when)) / 1000);
  if (!(seconds >= 60)) return "just now";
  if (seconds < HOUR) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 24 * HOUR ? `${Math.floor(seconds / HOUR)} h ago` : `${Math.floor(seconds / (24 * HOUR))} d ago`;
}

/** What is left until a deadline: `4:12 left`, `28 min left`, `no time left`. */
export function left(until: When, now: number): string {
  const ms = msOf(until) - now;
  if (!(ms > 0)) return "no time left";
  return `${ms < 10 * 60_000 ? duration(ms) : span(ms)} left`;
}

/** The time of day where the reader is: `20:33:11`. */
export const clockTime = (when: When): string => format(timeOfDay, when);

/** The day where the reader is: `1 November`, with the year if it is another one. */
export const day = (when: When, now: number = Date.now()): string =>
  format(new Date(msOf(when)).getFullYear() === new Date(now).getFullYear() ? dayAndMonth : fullDay, when);

/** Day and time of day: `1 November 2026, 20:33:11`. */
export const dayAndTime = (when: When): string => `${format(fullDay, when)}, ${clockTime(when)}`;

/** The day where the reader is, in a form that sorts: `2026-11-16`. */
export const localDay = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

const inZone = (form: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", TIME_ZONE === undefined ? form : { ...form, timeZone: TIME_ZONE });
const timeOfDay = inZone({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndMonth = inZone({ day: "numeric", month: "long" });
const fullDay = inZone({ day: "numeric", month: "long", year: "numeric" });

function format(how: Intl.DateTimeFormat, when: When): string {
  const ms = msOf(when);
  return Number.isFinite(ms) ? how.format(ms) : UNKNOWN;
}

/** A whole number: `1,284`. */
export const count = (value: number | undefined): string => (value === undefined ? UNKNOWN : whole.format(value));

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A large number in few characters: `294`, `2.9 k`, `12 k`, `1.3 M`, `137.7 M`. */
export function short(value: number | undefined): string {
  if (value === undefined) return UNKNOWN;
  if (value < 999.5) return String(Math.round(value));
  if (value >= 999_500) return `${(value / 1_000_000).toFixed(1)} M`;
  const thousands = value / 1000;
  return `${thousands < 9.95 ? thousands.toFixed(1) : Math.round(thousands)} k`;
}

/** A count and its noun: `1 file`, `3 files`. */
export const plural = (value: number, one: string, many: string = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A size: `312 B`, `183 kB`, `2.4 MB`. */
export function bytes(value: number | undefined): string {
  if (value === undefined) return UNKNOWN;
  let [size, unit] = [value, 0];
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit > 1 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

const units = ["B", "kB", "MB", "GB", "TB"];

/** The end of an id, by which people know a run: `…7KSMXP`. */
export const shortId = (id: string): string => `…${id.slice(-6)}`;
