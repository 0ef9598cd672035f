import { describe, expect, it } from "vitest";
import { amp } from "../../src/agents/amp/index.ts";
import { describeRecordings, eventsOf, eventsOfLines } from "../run/recordings.ts";

describeRecordings(amp);

describe("amp", () => {
  it("reports a command and its exit code, which its results contain as JSON", async () => {
    const events = await eventsOf(amp, "amp/documented/shell_ok.jsonl");
    expect(events).toContainEqual(expect.objectContaining({ type: "shell_start", command: "ls" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "shell_stdout_delta", delta: "README.md\n" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "shell_exit", exitCode: 0 }));
    expect(events.filter(({ type }) => type === "turn_start")).toHaveLength(2);
  });

  it("counts each message's tokens once", async () => {
    const events = await eventsOf(amp, "amp/documented/shell_ok.jsonl");
    const used = events.flatMap((event) => (event.type === "token_usage" ? [event] : []));
    expect(used.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])).toEqual([
      [10, 20],
      [30, 5],
    ]);
  });

  it("reports files under its own field names, and a missing login", async () => {
    const session = { session_id: "T-1" };
    const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
    const content = [
      call("a", "create_file", { path: "/w/a.txt", content: "one\n" }),
      call("b", "edit_file", { path: "/w/a.txt", old_str: "one", new_str: "two" }),
    ];
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok", is_error: false });
    const frames = [
      { type: "system", subtype: "init", cwd: "/w", ...session },
      { type: "assistant", message: { id: "m", content }, ...session },
      { type: "user", message: { content: [result("a"), result("b")] }, ...session },
      { type: "result", subtype: "error_during_execution", is_error: true, error: "401 unauthorized", ...session },
    ];
    const events = await eventsOfLines(
      amp,
      frames.map((frame) => JSON.stringify(frame)),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: "file_write", path: "/w/a.txt", byteCount: 4 }));
    expect(events).toContainEqual(expect.objectContaining({ type: "file_patch", path: "/w/a.txt" }));
    expect(events.at(-2)?.type).toBe("auth_error");
  });
});
