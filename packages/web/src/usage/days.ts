import { localDay } from "../ui/format.ts";
/** The ranges that can be chosen, in days. */
export const ranges = [7, 30, 90] as const;
export type Range = (typeof ranges)[number];

/** A range from the address. Anything else is 30 days. */
export const rangeOf = (text: string | null): Range => ranges.find((days) => String(days) === text) ?? 30;

/** The last days where the reader is, today last, such as 2026-11-16. Days with a change of the clock count once. */
export function lastDays(range: number, now: number): string[] {
  const today = new Date(now);
  return Array.from({ length: range }, (_, index) =>
    localDay(new Date(today.getFullYear(), today.getMonth(), today.getDate() - (range - 1 - index), 12)),
  );
}

/** When the first of these days began where the reader is. */
export function beginOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date);
}

/** The time zone of the reader. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const long = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const plain = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** "Friday, 6 November" */
export const longDay = (day: string): string => long.format(beginOf(day)).replace(/^(\w+) /, "$1, ");

/** "6 November" */
export const plainDay = (day: string): string => plain.format(beginOf(day));

/** The words below the bars, at most about ten: "17 Oct", then "20"; a new month is named again. */
export function axisLabels(days: readonly string[]): { index: number; text: string }[] {
  const step = Math.max(1, Math.ceil(days.length / 10));
  let month = "";
  return days.flatMap((day, index) => {
    if (index % step !== 0) return [];
    const isNew = day.slice(0, 7) !== month;
    month = day.slice(0, 7);
    return [{ index, text: isNew ? short.format(beginOf(day)) : String(Number(day.slice(8))) }];
  });
}
