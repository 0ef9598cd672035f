import { expect, it } from "vitest";
import { Script } from "../../testing/script.ts";
import type { ToolKind } from "../agent-events/tool.ts";
import { createEncoder } from "./encode.ts";

type Case = [kind: ToolKind | undefined, input: unknown, output: unknown, summary: string];

const cases: Case[] = [
  ["shell", { command: "npm test" }, "a\nb\n", "`npm test`: 2 lines of output"],
  ["shell", { command: ["ls", "-l"] }, "", "`ls -l`: no output"],
  ["shell", {}, "x", "Tool: 1 line of output"],
  ["file_read", { file_path: "src/a.ts" }, "1\n2\n3\n", "read src/a.ts: 3 lines of output"],
  ["edit", { path: "src/a.ts" }, "ok", "edited src/a.ts"],
  ["edit", { changes: [{ path: "a" }, { path: "b" }, { path: "a" }] }, "ok", "edited a and 1 more file"],
  ["edit", { changes: { a: {}, b: {}, c: {} } }, "ok", "edited a and 2 more files"],
  ["edit", { input: "*** Begin Patch\n*** Add File: n.md\n+x\n*** End Patch" }, "ok", "edited n.md"],
  ["multi_edit", { edits: [{ file_path: "a" }] }, null, "edited a"],
  ["file_write", { filePath: "new.md" }, null, "wrote new.md"],
  ["glob", { pattern: "**/*.ts" }, ["a", "b"], "listed **/*.ts: 2 lines of output"],
  ["grep", { query: "TODO" }, "", "searched for TODO: no output"],
  ["todo_write", { todos: [{ content: "a", status: "completed" }, { content: "b" }] }, "ok", "2 to-dos, 1 done"],
  ["http", { url: "https://a.example/" }, { status: 200 }, "requested https://a.example/: done"],
  ["web_fetch", { url: "https://a.example/" }, "text", "fetched https://a.example/: 1 line of output"],
  ["web_search", { query: "fish\nand chips" }, [{}], "searched the web for fish and chips"],
  ["subagent", { description: "Find the bug" }, "found", "Tool finished: Find the bug"],
  ["other", { a: 1 }, [1, 2], "Tool: 2 items"],
  [
    undefined,
    null,
    {
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
    "Tool: 2 lines of output",
  ],
];

it.each(cases)("sums up a call of kind %s with the input %j", (kind, input, output, summary) => {
  const script = new Script()
    .begin()
    .turn()
    .tool({ id: "c", name: "Tool", ...(kind && { kind }), input });
  expect(summaries(script.result("c", "Tool", output))).toEqual([summary]);
});

it("names the command that ran and its exit code", () => {
  const script = new Script()
    .begin()
    .turn()
    .tool({ id: "c", name: "Bash", kind: "shell", input: { command: "make" } });
  script.shell("c", "make -j2", { exitCode: 2 }).result("c", "Bash", "failed");
  expect(summaries(script)).toEqual(["`make -j2` exited with status 2"]);
});

it("names the server and the tool of an MCP call, and its error", () => {
  const call = { toolCallId: "m", server: "files", toolName: "read" };
  const script = new Script()
    .begin()
    .turn()
    .emit("mcp_tool_call_start", { ...call, input: {} });
  expect(summaries(script.emit("mcp_tool_result", { ...call, output: "a\nb" }))).toEqual([
    "files/read: 2 lines of output",
  ]);
  const failing = new Script()
    .begin()
    .turn()
    .emit("mcp_tool_call_start", { ...call, input: {} });
  failing.emit("mcp_tool_error", { ...call, error: "No such file.\nTry again.", protocol: false });
  expect(summaries(failing)).toEqual(["files/read: No such file. Try again."]);
});

it("stays on one short line, whatever the input is", () => {
  const command = `echo ${"\u{1f600}\u001b[31m".repeat(100)}`;
  const script = new Script().begin().turn().tool({ id: "c", name: "Bash", kind: "shell", input: { command } });
  const summary = String(summaries(script.result("c", "Bash", "x".repeat(1_000)))[0]);
  expect(summary.length).toBeLessThanOrEqual(200);
  expect(summary).toMatch(/^[^\p{Cc}\p{Cs}]+$/u);
});

function summaries({ events }: Script): unknown[] {
  const encoder = createEncoder();
  return events
    .flatMap((event) => encoder.encode(event))
    .flatMap(({ type, data }) => (type === "tool.completed" ? [data.summary] : []));
}
