import fc from "fast-check";
import { expect, test } from "vitest";
import { createLocalDays, isTimeZone } from "./local-day.ts";

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"];

test("the day is the one that the clocks of the time zone show, also around changes of the clock", () => {
  const time = fc.date({ min: new Date("2010-01-01"), max: new Date("2035-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(time, fc.constantFrom(...zones), (at, timeZone) => {
      const parts = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short" }).formatToParts(at);
      const part = (type: string) => parts.find((each) => each.type === type)?.value;
      expect(createLocalDays(timeZone)(at.getTime())).toBe(`${part("year")}-${part("month")}-${part("day")}`);
    }),
    { numRuns: 300 },
  );
});

test("a day with a change of the clock has 23 or 25 hours, and each of them belongs to it", () => {
  const dayOf = createLocalDays("Europe/Berlin");
  const hours = (day: string) =>
    Array.from({ length: 72 }, (_, hour) => Date.parse(`${day}T00:00:00Z`) + (hour - 24) * 3_600_000).filter(
      (at) => dayOf(at) === day,
    ).length;
  expect([hours("2026-03-29"), hours("2026-06-01"), hours("2026-10-25")]).toEqual([23, 24, 25]);
});

test("only names of time zones are accepted", () => {
  expect([isTimeZone("Europe/Berlin"), isTimeZone("Mars/Base"), isTimeZone("")]).toEqual([true, false, false]);
});
