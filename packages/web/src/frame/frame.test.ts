import type { RunRecord } from "@spoor/protocol/client";
import { describe, expect, test, vi } from "vitest";
import { waitingIn } from "../live/waiting-in.ts";
import { titleOf } from "../ui/page-title.ts";
import { keyTable } from "./key-table.ts";
import { lightOf } from "./light-of.ts";
import { news, withThoseBefore } from "./news.ts";
import { screenOf } from "./route-focus.ts";
import { createSpeaker } from "./speaker.ts";

const run = (run_id: string, facts: Partial<RunRecord>) =>
  ({ run_id, agent: "claude", status: "running", ...facts }) as RunRecord;
const asks = { state: "blocked", pending: 1 } as const;

describe("the frame", () => {
  test("counts every request that waits, and a paused run once, which asks for nothing", () => {
    const runs = [
      run("a", { state: "blocked", pending: 2 }),
      run("b", { state: "blocked", paused: true }),
      run("c", {}),
    ];
    expect(waitingIn(runs)).toMatchObject({ count: 3, requests: 2, runs: [{ run_id: "a" }, { run_id: "b" }] });
  });

  test("says in the title of the tab what waits", () => {
    expect(titleOf("Runs", 0)).toBe("Runs · Spoor");
    expect(titleOf("Runs", 2)).toBe("▲ 2 · Spoor");
    expect(titleOf("Fix add()", 1)).toBe("▲ 1 · Fix add() · Spoor");
    expect(titleOf(undefined, 0)).toBe("Spoor");
  });

  test("tells of runs that ask anew or ended, and not of what was there before", () => {
    const working = { state: "working" } as const;
    const done = { state: "done", status: "completed" } as const;
    const ids = (before: RunRecord[] | undefined, after: RunRecord[]) =>
      news(before, after).map(({ run: { run_id } }) => run_id);
    expect(ids(undefined, [run("a", asks)])).toEqual([]);
    expect(ids([run("a", working)], [run("a", asks), run("b", asks)])).toEqual(["a", "b"]);
    expect(ids([run("a", asks)], [run("a", asks)])).toEqual([]);
    expect(ids([run("a", asks)], [run("a", { ...asks, pending: 2 })])).toEqual(["a"]);
    expect(ids([run("a", working)], [run("a", done), run("old", done)])).toEqual(["a"]);
  });

  test("tells of a run that is older than all on the list when it asks, and when it ends", () => {
    const working = { state: "working" } as const;
    const ended = { state: "done", status: "completed", ended_at: "2026-11-16T10:00:00Z" } as const;
    const before = [run("new", working), run("old", working), run("gone", working)];
    const asking = withThoseBefore(before, [run("new", working), run("old", asks)], () => undefined);
    expect(news(before, asking).map(({ run: { run_id } }) => run_id)).toEqual(["old"]);
    const rows = new Map([["old", run("old", ended)]]);
    const over = withThoseBefore(before, [run("new", working)], (id) => rows.get(id) ?? "missing");
    expect(news(before, over).map(({ run: { run_id } }) => run_id)).toEqual(["old"]);
    expect(
      news(
        over,
        withThoseBefore(over, [run("new", working)], (id) => rows.get(id)),
      ),
    ).toEqual([]);
  });

  test("reads at most one sentence aloud in three seconds, and of those that wait only the newest", () => {
    vi.useFakeTimers();
    const heard: string[] = [];
    const speaker = createSpeaker((sentence) => heard.push(sentence));
    for (const sentence of ["one", "two", "three"]) speaker.say(sentence);
    expect(heard).toEqual(["one"]);
    vi.advanceTimersByTime(3_000);
    expect(heard).toEqual(["one", "three"]);
    vi.advanceTimersByTime(3_000);
    speaker.say("four");
    expect(heard).toEqual(["one", "three", "four"]);
    speaker.close();
    vi.useRealTimers();
  });

  test("says that the connection broke only after a second, and then when it is tried again", () => {
    const broken = { state: "waiting", since: 1_000, nextAt: 6_000, failures: 1 } as const;
    expect(lightOf(broken, 1_500).words).toBe("Live");
    expect(lightOf(broken, 2_000)).toEqual({ tone: "wait", words: "Reconnecting in 4 s" });
    expect(lightOf({ state: "stopped", why: "logged_out" }, 0)).toEqual({ tone: "off", words: "Logged out" });
  });

  test("takes the views of one run for one screen", () => {
    expect(screenOf("/runs/run_1/changes")).toBe(screenOf("/runs/run_1"));
    expect(screenOf("/runs/run_1")).not.toBe(screenOf("/runs/run_2"));
    expect(screenOf("/")).not.toBe(screenOf("/usage"));
  });

  test("lists no key twice in one place of the help", () => {
    for (const { where, keys } of keyTable) {
      const names = keys.flatMap(([each]) => each);
      expect(new Set(names).size, where).toBe(names.length);
    }
  });
});
