import { describe, expect, it } from "vitest";
import type { Story } from "../../testing/story.ts";
import { inTurn, seen, stream } from "../../testing/view/fold-script.ts";
import { viewOf } from "./fold.ts";

const read = { id: "c1", name: "Read", kind: "file_read", input: { path: "a" } } as const;
const bash = { id: "c1", name: "Bash", kind: "shell", input: { command: "ls" } } as const;
const call = (story: Story) => seen(story).tools[0];
const error = (outcome?: "failed" | "cancelled" | "timed_out" | "blocked") =>
  ({ toolCallId: "c1", toolName: "Read", error: "no", ...(outcome && { outcome }) }) as const;

describe("a call", () => {
  it("is proposed while the model writes it, with its input so far", () => {
    const story = inTurn().emit("tool_call_start", {
      toolCallId: "c1",
      toolName: "Read",
      inputAccumulated: "",
      toolKind: "file_read",
    });
    story.emit("tool_input_delta", { toolCallId: "c1", delta: '{"pa', inputAccumulated: "" });
    story.emit("tool_input_delta", { toolCallId: "c1", delta: 'th":', inputAccumulated: "" });
    expect(call(story)).toMatchObject({
      name: "Read",
      kind: "file_read",
      state: "proposed",
      inputText: '{"path":',
      turn: 1,
    });
  });

  it("runs when it is accepted, and its input is complete", () => {
    const view = call(inTurn().tool({ ...read, pieces: ['{"path":"a"}'] }));
    expect(view).toMatchObject({ state: "running", input: { path: "a" }, startedAt: expect.any(String) });
    expect(view).not.toHaveProperty("inputText");
  });

  it("ends with its output and duration", () => {
    expect(call(inTurn().tool(read).result("c1", "Read", { lines: 3 }, 12))).toMatchObject({
      state: "completed",
      output: { lines: 3 },
      durationMs: 12,
      endedAt: expect.any(String),
    });
  });

  it("ends with the outcome that the agent reports", () => {
    const ended = (outcome?: "failed" | "cancelled" | "timed_out" | "blocked") =>
      call(inTurn().tool(read).emit("tool_error", error(outcome)));
    expect(ended()).toMatchObject({ state: "failed", error: "no" });
    expect(ended("failed")?.state).toBe("failed");
    expect(ended("cancelled")?.state).toBe("cancelled");
    expect(ended("timed_out")?.state).toBe("timed_out");
    expect(ended("blocked")).toMatchObject({ state: "blocked", error: "no" });
  });

  it("of an MCP tool has server and tool, and fails when the tool reports an error", () => {
    const mcp = { toolCallId: "m", server: "files", toolName: "read" };
    const story = inTurn().emit("mcp_tool_call_start", { ...mcp, input: { path: "a" } });
    expect(call(story)).toMatchObject({ kind: "mcp", mcp: { server: "files", tool: "read" }, state: "running" });
    const failed = story.emit("mcp_tool_error", { ...mcp, error: "gone", protocol: false });
    expect(call(failed)).toMatchObject({ state: "failed", error: "gone" });
  });

  it("that reuses the id of an ended call is a new call", () => {
    const story = inTurn()
      .tool(read)
      .result("c1", "Read", "one")
      .endTurn()
      .turn()
      .tool(read)
      .result("c1", "Read", "two");
    expect(seen(story).tools.map(({ output, turn }) => [output, turn])).toEqual([
      ["one", 1],
      ["two", 2],
    ]);
  });

  it("keeps the details of its kind", () => {
    const story = inTurn()
      .tool({ id: "c1", name: "Grep", kind: "grep", input: { pattern: "x" } })
      .result("c1", "Grep", "");
    expect(call(story.emit("file_read", { path: "a.ts", toolCallId: "c1" }))?.details).toEqual([
      { type: "tool.grep.completed", data: { tool_call_id: "c1", pattern: "x" } },
      { type: "tool.file_read.completed", data: { tool_call_id: "c1", path: "a.ts" } },
    ]);
  });

  it("may have the id __proto__ or constructor", () => {
    const ids = ["__proto__", "constructor", "hasOwnProperty"];
    const view = viewOf(stream(...ids.map((id) => ["tool.completed", { tool_call_id: id, output: id }] as const)));
    expect(view.tools.map(({ id, output }) => [id, output])).toEqual(ids.map((id) => [id, id]));
  });
});

describe("a shell", () => {
  it("belongs to its call and keeps both streams in order of arrival", () => {
    const story = inTurn().tool(bash).emit("shell_start", { command: "ls", cwd: "/w", toolCallId: "c1" });
    story.emit("shell_stdout_delta", { delta: "a\n", toolCallId: "c1" });
    story.emit("shell_stdout_delta", { delta: "b\n", toolCallId: "c1" });
    story.emit("shell_stderr_delta", { delta: "oh\n", toolCallId: "c1" });
    story.emit("shell_stdout_delta", { delta: "c\n", toolCallId: "c1" });
    const view = seen(story);
    expect(view.tools[0]?.shells).toEqual([0]);
    expect(view.shells[0]).toMatchObject({ command: "ls", cwd: "/w", running: true, stdoutBytes: 6, stderrBytes: 3 });
    expect(view.shells[0]?.head).toEqual([
      { stream: "stdout", text: "a\nb\n" },
      { stream: "stderr", text: "oh\n" },
      { stream: "stdout", text: "c\n" },
    ]);
    const ended = seen(story.emit("shell_exit", { exitCode: 2, durationMs: 7, toolCallId: "c1" })).shells[0];
    expect(ended).toMatchObject({ running: false, exitCode: 2, durationMs: 7, truncated: false, omittedBytes: 0 });
  });

  it("belongs to no call if the agent does not report one", () => {
    const story = inTurn().emit("shell_start", { command: "ls", cwd: "/" }).emit("shell_stdout_delta", { delta: "a" });
    const view = seen(story);
    expect(view.tools).toEqual([]);
    expect(view.timeline.at(-1)).toEqual({ kind: "shells", index: 0, sequence: 5 });
    expect(view.shells[0]?.head).toEqual([{ stream: "stdout", text: "a" }]);
  });

  it("of parallel calls do not mix", () => {
    const story = inTurn()
      .tool(bash)
      .tool({ ...bash, id: "c2" });
    story
      .emit("shell_start", { command: "1", cwd: "/", toolCallId: "c1" })
      .emit("shell_start", { command: "2", cwd: "/", toolCallId: "c2" });
    story
      .emit("shell_stdout_delta", { delta: "one", toolCallId: "c1" })
      .emit("shell_stdout_delta", { delta: "two", toolCallId: "c2" });
    expect(seen(story).shells.map(({ head }) => head[0]?.text)).toEqual(["one", "two"]);
  });
});

describe("the todo list", () => {
  const write = (story: Story, id: string, ...contents: string[]) => {
    const todos = contents.map((content) => ({ content, status: "in_progress" }));
    return story.tool({ id, name: "TodoWrite", kind: "todo_write", input: { todos } }).result(id, "TodoWrite", "ok");
  };

  it("is replaced by the next one", () => {
    const story = write(inTurn(), "t1", "one", "two");
    expect(seen(story).todos.map(({ content }) => content)).toEqual(["one", "two"]);
    expect(seen(write(story, "t2", "three")).todos).toEqual([{ content: "three", status: "in_progress" }]);
    expect(seen(write(story, "t3")).todos).toEqual([]);
  });

  it("leaves out invalid items", () => {
    const todos = [null, 3, { content: 4 }, { content: "a", status: "someday" }];
    expect(viewOf(stream(["tool.todo_write.updated", { todos }])).todos).toEqual([{ content: "a", status: "pending" }]);
  });
});
