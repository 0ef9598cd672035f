/** An amount of money; empty if it is unknown. */
export const dollars = (micros: number | undefined): string =>
  micros === undefined ? "" : `$${(micros / 1_000_000).toFixed(micros >= 1_000_000 ? 2 : 4)}`;

/** Where a cost comes from, in one word. */
export const costWord = (source: string | undefined): string =>
  source === undefined ? "" : source === "agent_reported" ? "reported" : source;

/** How long ago a time was, in one unit. */
export const ago = (time: number, now: number = Date.now()): string => `${age(now - time)} ago`;

/** A time span in one unit: `2 min`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** A time span as a clock shows it: `2:41`, and from an hour on `4:51 h`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)} h`;
}

/** How long a call took: `4 ms`, `1.8 s`, `2:41`. */
export const took = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : clock(ms);

/** A number of tokens: `294`, `2.9 k`, `1.2 M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} k` : `${(count / 1_000_000).toFixed(1)} M`;
}

/** A day and a time of the reader's clock: `15 Nov 20:33`. */
export const dayAndTime = (time: number): string => `${day(time)} ${new Date(time).toTimeString().slice(0, 5)}`;

/** A day: `15 Nov`. */
export const day = (time: number): string => `${new Date(time).getDate()} ${MONTHS[new Date(time).getMonth()]}`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The end of an id, by which people know it. */
export const endOfId = (id: string): string => id.slice(-6);
