import { initialRunView, type RunSpan, type RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { diffsByPath } from "../diff/diffs-by-path.ts";
import { type ComparedRun, costNote, figureRows } from "./figures.ts";
import { compareFiles } from "./file-ways.ts";
import { stripOf, stripWords } from "./time-strip.ts";

const diff = (path: string, added: string, hash = "1") =>
  `diff --git a/${path} b/${path}\nindex ${hash}..${hash}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+${added}\n`;

describe("the files of several runs", () => {
  const one = diffsByPath(diff("a", "1") + diff("b", "1") + diff("c", "1") + diff("d", "1"));
  const two = diffsByPath(diff("a", "1", "2") + diff("b", "2") + diff("c", "2"));
  const three = diffsByPath(diff("a", "1") + diff("b", "1"));

  it("say in how many ways each was changed, and by how many runs", () => {
    expect(compareFiles([one, two, three]).map(({ path, words }) => [path, words])).toEqual([
      ["a", "same in all"],
      ["b", "2 ways"],
      ["c", "2 of 3, 2 ways"],
      ["d", "1 of 3"],
    ]);
  });

  it("claim nothing where a diff was not kept, and need no words for one run", () => {
    expect(compareFiles([one, new Map([["a", ""]])])[0]).toMatchObject({ path: "a", words: "2 of 2", ways: 0 });
    expect(compareFiles([one])[0]?.words).toBe("");
  });
});

const run = (agent: string, record: Partial<RunRecord> = {}, view: Partial<RunView> = {}): ComparedRun => ({
  record: {
    ...{ agent, created_at: "2026-01-01T00:00:00.000Z", ended_at: "2026-01-01T00:01:00.000Z", turns: 3 },
    ...record,
  } as RunRecord,
  view: { ...initialRunView(), ...view },
});

describe("the figures of several runs", () => {
  const row = (runs: readonly ComparedRun[], name: string) =>
    figureRows(runs, Date.parse("2026-01-01T00:05:00.000Z")).find((found) => found.name === name)?.figures;

  it("name the smallest, and measure all against the largest", () => {
    const figures = row([run("a", { turns: 2 }), run("b", { turns: 4 })], "Turns");
    expect(figures).toMatchObject([
      { text: "2", share: 0.5, isLeast: true },
      { text: "4", share: 1, isLeast: false },
    ]);
  });

  it("name nobody where all are equal, or while a run goes on", () => {
    expect(row([run("a"), run("b")], "Turns")?.some(({ isLeast }) => isLeast)).toBe(false);
    const { ended_at: _, ...going } = run("b", { turns: 9 }).record;
    const runs = [run("a"), { ...run("b"), record: going as RunRecord }];
    expect(row(runs, "Turns")?.some(({ isLeast }) => isLeast)).toBe(false);
    expect(row(runs, "Time")?.map(({ text }) => text)).toEqual(["1:00", "5:00"]);
  });

  it("never take an unknown cost for the least, and point out different sources", () => {
    const runs = [
      run("claude", { cost_micros_usd: 9_800, cost_source: "agent_reported" }),
      run("codex", { cost_micros_usd: 23_100, cost_source: "estimated" }),
      run("pi", { cost_micros_usd: 0 }),
    ];
    expect(row(runs, "Cost")?.map(({ text, isLeast }) => [text, isLeast])).toEqual([
      ["$0.0098", true],
      ["$0.0231", false],
      ["—", false],
    ]);
    expect(costNote(runs)).toContain("claude: reported by the agent; codex: estimated from list prices; pi: not known");
    expect(costNote(runs.slice(0, 1))).toBeUndefined();
  });
});

describe("the strip of a run", () => {
  it("shows model, tools and waiting one after the other, and in words", () => {
    const spans: RunSpan[] = [
      { kind: "turn", from: 0, to: 10_000, sequence: 1 },
      { kind: "tool", from: 4_000, to: 6_000, sequence: 2 },
      { kind: "wait", from: 8_000, to: 9_000, sequence: 3 },
    ];
    expect(stripOf({ spans }, 10_000)).toEqual([
      { part: "model", length: 4_000 },
      { part: "tool", length: 2_000 },
      { part: "model", length: 2_000 },
      { part: "waiting", length: 1_000 },
      { part: "model", length: 1_000 },
    ]);
    expect(stripWords({ spans }, 10_000)).toBe("Model 0:07, Tools 0:02, Waiting for you 0:01");
  });

  it("stays short for a long run, and keeps its length", () => {
    const spans = Array.from(
      { length: 5_000 },
      (_, at): RunSpan => ({ kind: at % 2 ? "tool" : "turn", from: at * 10, to: at * 10 + 10, sequence: at }),
    );
    const strip = stripOf({ spans }, 50_000);
    expect(strip.length).toBeLessThanOrEqual(120);
    expect(strip.reduce((sum, { length }) => sum + length, 0)).toBeCloseTo(50_000);
  });
});
