import type { ApprovalView } from "@spoor/protocol";
import { expect, test } from "vitest";
import { approvalWords, exactAction, fitsOneLine, lineOf } from "./exact-action.ts";

const asked = (more: Partial<ApprovalView>): ApprovalView => ({ id: "appr_1", status: "pending", ...more });

const diff = "diff --git a/src/calc.js b/src/calc.js\n--- a/src/calc.js\n+++ b/src/calc.js\n@@ -1 +1 @@\n-a\n+b\n";

test("a command is shown whole, with every other field of the input", () => {
  const command = "rm -rf dist\necho done";
  const approval = asked({
    kind: "shell_command",
    toolName: "Bash",
    detail: command,
    input: { command, description: "Clean", timeout: 5 },
  });
  expect(exactAction(approval)).toEqual({
    form: "command",
    text: command,
    fields: [
      { name: "description", text: "Clean" },
      { name: "timeout", text: "5" },
    ],
  });
  expect(lineOf(approval)).toBe("rm -rf dist");
  expect(fitsOneLine(approval, 80)).toBe(false);
  expect(approvalWords(approval).question).toBe("May it run this command?");
});

test("words of a command are quoted, so that a reader sees where each begins", () => {
  const approval = asked({ kind: "shell_command", input: { command: ["sh", "-c", "rm a b"] } });
  expect(exactAction(approval)).toMatchObject({ text: "sh -c 'rm a b'", fields: [] });
});

test("what the agent says of a command is shown beside it if it says something else", () => {
  const approval = asked({ kind: "shell_command", detail: "lists files", input: { command: "rm -rf /" } });
  expect(exactAction(approval)).toMatchObject({
    text: "rm -rf /",
    fields: [{ name: "It says", text: "lists files" }],
  });
});

test("a change is shown by its diff, and named by its paths", () => {
  const approval = asked({ kind: "agent_loop_tool_call", toolName: "file_edit", diff, input: { path: "src/calc.js" } });
  expect(exactAction(approval)).toMatchObject({ form: "change", diff, input: '{\n  "path": "src/calc.js"\n}' });
  expect(lineOf(approval)).toBe("src/calc.js");
});

test("another tool is shown with all of its input", () => {
  const approval = asked({ toolName: "demo/echo", summary: "demo / echo", input: { text: "hello", deep: { a: [1] } } });
  expect(exactAction(approval)).toMatchObject({
    form: "call",
    text: "demo/echo",
    fields: [
      { name: "text", text: "hello" },
      { name: "deep", text: '{\n  "a": [\n    1\n  ]\n}' },
    ],
  });
  expect(lineOf(approval)).toBe("demo / echo");
  expect(lineOf(asked({ toolName: "mcp__demo__echo", detail: "{}" }))).toBe("demo / echo");
  expect(lineOf(asked({}))).toBe("an action without a description");
});

test("only a whole, plain, short command can be approved on one line", () => {
  const short = { kind: "shell_command", input: { command: "rm notes.txt" } };
  expect(fitsOneLine(asked(short), 60)).toBe(true);
  expect(fitsOneLine(asked({ ...short, truncated: true }), 60)).toBe(false);
  expect(fitsOneLine(asked({ ...short, input: { command: "rm \u202etxt.seton" } }), 60)).toBe(false);
  expect(fitsOneLine(asked({ ...short, input: { command: "x".repeat(61) } }), 60)).toBe(false);
  expect(fitsOneLine(asked({ ...short, input: { command: "ls", sandbox: "off" } }), 60)).toBe(false);
});
