import type { ToolView } from "@spoor/protocol";
import { expect, it } from "vitest";
import type { ToolCardItem } from "../row-types.ts";
import { imageType } from "../rows/image-type.ts";
import { choicesOf } from "./choices.ts";
import { gapWords } from "./gap-words.ts";
import { shortDiff } from "./short-diff.ts";
import { toolResult } from "./tool-result.ts";
import { opensItself, toolWords } from "./tool-words.ts";

const card = (tool: Partial<ToolView>, more: Partial<ToolCardItem> = {}): ToolCardItem => ({
  ...{ kind: "tool", key: "k", sequence: 0, shells: [], files: [], approvals: [] },
  tool: {
    id: "a",
    name: "Tool",
    kind: "other",
    state: "completed",
    shells: [],
    files: [],
    approvals: [],
    details: [],
    ...tool,
  },
  ...more,
});

it.each([
  [{ kind: "shell", input: { command: "npm test\nmore" } }, "Run", "npm test"],
  [{ kind: "shell", input: { command: ["git", "status"] } }, "Run", "git status"],
  [{ kind: "file_read", input: { file_path: "/home/ann/project/src/a.ts" } }, "Read", "src/a.ts"],
  [{ kind: "file_read", input: { file_path: "/home/ann/projects/a.ts" } }, "Read", "/home/ann/projects/a.ts"],
  [{ kind: "grep", input: { pattern: "add\\(" } }, "Search", "add\\("],
  [{ kind: "mcp", mcp: { server: "docs", tool: "look_up" }, input: { topic: "x" } }, "docs", "look_up x"],
  [
    { kind: "todo_write", input: { todos: [{ status: "completed" }, { status: "pending" }] } },
    "Update the list",
    "1 of 2 done",
  ],
  [{ kind: "other", name: "Deploy", input: { n: 1, where: "there" } }, "Deploy", "there"],
  [{ kind: "other", name: "Odd", input: "text" }, "Odd", ""],
] as const)("says what a call does: %j", (tool, verb, target) => {
  expect(toolWords(card(tool as Partial<ToolView>), "/home/ann/project")).toMatchObject({ verb, target });
});

it.each([
  [{ state: "proposed", inputText: "x".repeat(312) }, "312 B", "quiet"],
  [{ state: "waiting" }, "waits for you", "needs"],
  [{ state: "running", startedAt: "2026-01-01T00:00:00Z" }, "0:12", "working"],
  [{ state: "failed", error: "demo failure: testing\nat x" }, "demo failure: testing", "bad"],
  [{ state: "timed_out", durationMs: 1_500 }, "timed out at 1.5 s", "bad"],
  [{ state: "cancelled" }, "cancelled", "quiet"],
  [{ state: "blocked" }, "refused by a rule", "quiet"],
] as const)("says how a call went: %j", (tool, words, tone) => {
  const now = Date.parse("2026-01-01T00:00:12Z");
  expect(toolResult(card(tool as Partial<ToolView>), now, () => false)).toMatchObject({ words, tone });
});

it("says who refused a call", () => {
  const refusedBy = (decidedBy: string, isMine: boolean) => {
    const approvals = [{ id: "appr_1", status: "rejected", decidedBy }] as const;
    return toolResult(card({ state: "blocked" }, { approvals }), 0, () => isMine).words;
  };
  expect(refusedBy("http", true)).toBe("refused by you");
  expect(refusedBy("http", false)).toBe("refused by another tab");
  expect(refusedBy("cli:ann", false)).toBe("refused by ann in a terminal");
});

it("opens subagents, and commands that run or failed, by itself", () => {
  expect(opensItself(card({ kind: "subagent" }))).toBe(true);
  expect(opensItself(card({ kind: "shell", state: "running" }))).toBe(true);
  expect(opensItself(card({ kind: "shell", state: "failed" }))).toBe(true);
  expect(opensItself(card({ kind: "shell" }))).toBe(false);
  expect(opensItself(card({ kind: "file_read", state: "failed" }))).toBe(false);
});

it.each([
  ["Which one?\n- red\n- blue", ["red", "blue"], "Which one?"],
  ["1. yes\n2) no", ["yes", "no"], ""],
  ['["a","b"]', ["a", "b"], ""],
  ['{"options":[{"label":"x"},{"label":"y"}]}', ["x", "y"], ""],
  ['[{"question":"Which?","options":[{"label":"x"},{"label":"y"}]}]', ["x", "y"], ""],
  ["Green: as the rest\nRed: it is loud", ["Green: as the rest", "Red: it is loud"], ""],
  ["The goal: a fast page.\nIt is slow now.", [], "The goal: a fast page.\nIt is slow now."],
  ["- only one", [], "- only one"],
  ["no list", [], "no list"],
  ["[1, 2]", [], "[1, 2]"],
  ["{broken", [], "{broken"],
])("finds the choices in %j", (context, choices, rest) => {
  expect(choicesOf(context)).toEqual({ choices, rest });
});

it("knows pictures by their first bytes, and no SVG", () => {
  expect(imageType(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))).toBe("image/png");
  expect(imageType(Uint8Array.from([0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50]))).toBe("image/webp");
  expect(imageType(new TextEncoder().encode("<svg onload=alert(1)>"))).toBeUndefined();
  expect(imageType(new Uint8Array())).toBeUndefined();
});

it("cuts a long diff so that it is still a diff", () => {
  const lines = Array.from({ length: 40 }, (_, n) => `+line ${n}`);
  const { text, isCut, shown, all } = shortDiff(`--- a/x\n+++ b/x\n@@ -0,0 +1,40 @@\n${lines.join("\n")}\n`);
  expect({ isCut, shown, all }).toEqual({ isCut: true, shown: 24, all: 40 });
  expect(text).toContain("@@ -0,0 +1,24 @@");
  expect(shortDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").isCut).toBe(false);
});

it("says what a gap is", () => {
  expect(gapWords({ type: "gap.events_lost", reason: "corrupt", firstSequence: 88, lastSequence: 91 })).toBe(
    "Events 88 to 91 are damaged and cannot be shown",
  );
  expect(gapWords({ type: "gap.run_disconnected", reason: "boot_reconcile", action: "requeued" })).toBe(
    "The process of the run was gone when Spoor started. It is taken up again.",
  );
});
