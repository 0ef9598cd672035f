import type { RunRecord } from "@spoor/protocol/client";
import { describe, expect, test } from "vitest";
import { groupRuns } from "./groups.ts";
import { countNew, holdPlaces } from "./hold.ts";

const noon = new Date(2026, 10, 16, 12).getTime();
const hours = (count: number) => new Date(noon - count * 3_600_000).toISOString();

const run = (run_id: string, facts: Partial<RunRecord> = {}): RunRecord =>
  ({
    ...{ run_id, agent: "claude", kind: "agent", status: "completed", state: "done" },
    ...{ created_at: hours(1), updated_at: hours(1), ended_at: hours(1) },
    ...facts,
  }) as RunRecord;

const open = { status: "running", ended_at: undefined } as unknown as Partial<RunRecord>;
const working = { ...open, state: "working", last_activity: hours(0) } as Partial<RunRecord>;
const blocked = { ...open, state: "blocked", pending: 1 } as Partial<RunRecord>;

const shapeOf = (groups: ReturnType<typeof groupRuns>) =>
  groups.map(({ name, entries }) => [name, entries.map(({ run: { run_id } }) => run_id)]);

describe("the groups of the runs", () => {
  test("are Needs you, Going on, and the reader's local days from the newest on", () => {
    const runs = [
      run("today-early", { ended_at: hours(11.9) }),
      run("today", { ended_at: hours(2) }),
      run("asks", blocked),
      run("yesterday", { ended_at: hours(13) }),
      run("queued", { ...open, status: "queued", state: "idle" }),
      run("works", working),
      run("older", { ended_at: hours(24 * 15 + 1) }),
      run("last-year", { ended_at: new Date(2025, 11, 31, 23).toISOString() }),
      run("failed", { state: "error", status: "failed", ended_at: hours(3) }),
    ];
    expect(shapeOf(groupRuns(runs, noon))).toEqual([
      ["Needs you", ["asks"]],
      ["Going on", ["queued", "works"]],
      ["Today", ["today", "failed", "today-early"]],
      ["Yesterday", ["yesterday"]],
      ["1 November", ["older"]],
      ["31 December 2025", ["last-year"]],
    ]);
  });

  test("fold subagents under their topmost parent, except one that waits for a person", () => {
    const runs = [
      run("grandchild", { parent_run_id: "child" }),
      run("child", { parent_run_id: "parent" }),
      run("asking-child", { ...blocked, parent_run_id: "parent" }),
      run("parent"),
      run("orphan", { parent_run_id: "not-here" }),
    ];
    const groups = groupRuns(runs, noon);
    expect(shapeOf(groups)).toEqual([
      ["Needs you", ["asking-child"]],
      ["Today", ["parent", "orphan"]],
    ]);
    expect(groups[1]?.entries[0]?.children.map(({ run_id }) => run_id)).toEqual(["child", "grandchild"]);
  });

  test("survive runs that name each other as parents", () => {
    const runs = [run("a", { parent_run_id: "b" }), run("b", { parent_run_id: "a" }), run("c", { parent_run_id: "c" })];
    expect(() => groupRuns(runs, noon)).not.toThrow();
  });

  test("keep every row in its place while a pointer is over the list, and show its newest state", () => {
    const before = groupRuns([run("one", working), run("two")], noon);
    const after = groupRuns([run("new"), run("one", { title: "It is done." }), run("two")], noon);
    const held = holdPlaces(before, after);
    expect(shapeOf(held)).toEqual([
      ["Going on", ["one"]],
      ["Today", ["two"]],
    ]);
    expect(held[0]?.entries[0]?.run.title).toBe("It is done.");
    expect(countNew(held, after)).toBe(1);
  });

  test("show older runs at the end also while a pointer is over the list, and let newer ones wait", () => {
    const rows = [run("one"), run("two", { ended_at: hours(2) })];
    const older = [run("three", { ended_at: hours(3) }), run("four", { ended_at: hours(30) })];
    const before = groupRuns(rows, noon);
    const after = groupRuns([run("new", { ended_at: hours(0) }), run("asks", blocked), ...rows, ...older], noon);
    const held = holdPlaces(before, after);
    expect(shapeOf(held)).toEqual([
      ["Today", ["one", "two", "three"]],
      ["Yesterday", ["four"]],
    ]);
    expect(countNew(held, after)).toBe(2);
  });
});
