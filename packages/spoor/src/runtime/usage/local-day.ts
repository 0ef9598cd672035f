/** Whether this is the name of a time zone that the system knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-CA", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Every change of a clock happens at a whole quarter of an hour, so all times within one have the same day. */
const QUARTER_MS = 900_000;

/** Tells the day, such as 2026-11-16, on which a time lies in a time zone. Days with a change of the clock are right, too. */
export function createLocalDays(timeZone: string): (at: number) => string {
  if (timeZone === "UTC") return (at) => new Date(at).toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const known = new Map<number, string>();
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS);
    let day = known.get(quarter);
    if (day === undefined) {
      day = format.format(quarter * QUARTER_MS);
      known.set(quarter, day);
    }
    return day;
  };
}
