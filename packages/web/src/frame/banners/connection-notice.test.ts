import { expect, it } from "vitest";
import type { Connection } from "../../live/connection.ts";
import { noticeOf } from "./connection-notice.ts";

const waiting = (failures: number, code = "network"): Connection => ({
  state: "waiting",
  since: 10_000,
  nextAt: 18_500,
  failures,
  code,
});

const back = (gap: boolean, since = 10_000): Connection => ({
  state: "live",
  caughtUp: { events: 38, since, at: 20_000, gap },
});

it("a break is said after five seconds, with the time until the next attempt", () => {
  expect(noticeOf(waiting(1), 14_900)).toBeUndefined();
  expect(noticeOf(waiting(1), 15_000)).toEqual({ kind: "reconnecting", seconds: 4 });
  expect(noticeOf(waiting(1), 19_000)).toEqual({ kind: "reconnecting", seconds: 0 });
});

it("a server that three attempts did not reach is gone, at once", () => {
  expect(noticeOf(waiting(2), 12_000)).toBeUndefined();
  expect(noticeOf(waiting(3), 12_000)).toEqual({ kind: "gone", seconds: 7 });
  expect(noticeOf(waiting(3, "too_many_streams"), 16_000)).toEqual({ kind: "reconnecting", seconds: 3 });
});

it("the return is said for four seconds, if the break was said", () => {
  expect(noticeOf(back(false), 20_000)).toEqual({ kind: "back", events: 38 });
  expect(noticeOf(back(false), 24_000)).toBeUndefined();
  expect(noticeOf(back(false, 19_500), 20_000)).toBeUndefined();
});

it("missing events are said until somebody closes the banner", () => {
  expect(noticeOf(back(true), 90_000)).toEqual({ kind: "gap", events: 38, at: 20_000 });
  expect(noticeOf(back(true), 90_000, 20_000)).toBeUndefined();
});

it("what waiting cannot mend is said without a time", () => {
  expect(noticeOf({ state: "stopped", why: "log_replaced" }, 0)).toEqual({ kind: "log_replaced" });
  expect(noticeOf({ state: "stopped", why: "old_page" }, 0)).toEqual({ kind: "old_page" });
  // The whole page says that.
  expect(noticeOf({ state: "stopped", why: "logged_out" }, 0)).toBeUndefined();
  expect(noticeOf({ state: "connecting" }, 0)).toBeUndefined();
  expect(noticeOf({ state: "live" }, 0)).toBeUndefined();
});
