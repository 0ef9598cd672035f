import type { ApprovalRecord, RunRecord } from "@spoor/protocol/client";
import { expect, test } from "vitest";
import { nowLine } from "./now-line.ts";

const run = (facts: Partial<RunRecord>) => ({ run_id: "r", status: "running", ...facts }) as RunRecord;

test.each([
  ["runs npm test", { words: "Running", code: "npm test" }],
  ["writes an answer", { words: "Writing an answer" }],
  ["writes src/a.js", { words: "Writing", code: "src/a.js" }],
  ["asks: Which colour?", { words: "", quote: "Which colour?" }],
  ["lost its worker", { words: "Lost its worker" }],
])("the line of a run that %s", (now, line) => {
  expect(nowLine(run({ now }))).toEqual(line);
});

test("a run that is silent tells what was heard last", () => {
  const line = (now: string) => nowLine(run({ now }), undefined, true);
  expect(line("runs npm install")).toEqual({ words: "Last heard:", code: "npm install", after: "started" });
  expect(line("edits a.js")).toEqual({ words: "Last heard: editing", code: "a.js" });
  expect(line("thinks")).toEqual({ words: "Last heard: thinking" });
});

test("an approval that waits is more precise than the line of the server", () => {
  const approval = { kind: "shell_command", detail: "rm notes.txt\nls" } as ApprovalRecord;
  expect(nowLine(run({ now: "asks for permission: something" }), approval)).toEqual({
    words: "Asks to run",
    code: "rm notes.txt",
  });
});

test("a run that is over shows its last words, or why it failed", () => {
  expect(nowLine(run({ status: "completed", result: "Done." }))).toEqual({ words: "", quote: "Done." });
  expect(nowLine(run({ status: "failed", result: "No credit." }))).toEqual({ words: "No credit." });
  expect(nowLine(run({ status: "failed", error_code: "auth" }))).toEqual({ words: "auth" });
});
