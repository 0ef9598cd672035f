import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { loopRuntime } from "../../../testing/loop/loop-runtime.ts";
import { type ScriptedCall, scriptedModel } from "../../../testing/loop/scripted-model.ts";
import { untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { builtInTools } from "./index.ts";

const TIMEOUT = { timeout: 60_000 };

/** Runs calls in the real loop, one turn each, and returns what is stored about them. */
async function play(calls: readonly ScriptedCall[], policy: string[] = [], files: Record<string, string> = {}) {
  const model = scriptedModel([...calls.map((call) => ({ calls: [call] })), { text: "Done." }]);
  const { log, start, startWorker, workspace } = loopRuntime(model, { tools: () => builtInTools });
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(workspace, name), content);
  startWorker();
  const { run_id } = await start("Do it.", { policy: ["allow write **", ...policy], approve: "deny" });
  await untilStatus(log, run_id);
  const events = await envelopesOf(log, run_id);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  return { log, run_id, events, workspace, model, ofTurn: (turn: number) => typesOfTurn(events, turn) };
}

/** What is told between the proposal of a call and the end of its turn. */
function typesOfTurn(events: readonly Envelope[], turn: number): string[] {
  const isOf = (type: string) => (event: Envelope) => event.type === type && event.data.turn_index === turn;
  const [from, to] = [events.findIndex(isOf("tool.invoked")), events.findIndex(isOf("turn.completed"))];
  return events
    .slice(from, to)
    .map(({ type }) => type)
    .filter((type) => !/step_|checkpoint|token_usage|cost\.tick/.test(type));
}

const dataOf = (events: readonly Envelope[], type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data);

describe("tools in the loop", TIMEOUT, () => {
  it("that read tell what they found in one event of their kind, in the order of the contract", async () => {
    const long = "a long line of text\n".repeat(1_500);
    const { events, ofTurn } = await play(
      [
        { name: "read_file", input: { path: "a.txt" } },
        { name: "read_file", input: { path: "long.txt" } },
        { name: "list_dir", input: {} },
        { name: "glob", input: { pattern: "*.txt" } },
        { name: "grep", input: { pattern: "one" } },
        { name: "todo_write", input: { todos: [{ content: "Read", status: "completed" }] } },
      ],
      [],
      { "a.txt": "one\n", "long.txt": long },
    );
    const around = (...inner: string[]) => ["tool.invoked", "tool.started", ...inner];
    expect(ofTurn(1)).toEqual(around("tool.completed", "tool.file_read.completed"));
    expect(ofTurn(2)).toEqual(around("artifact.created", "tool.completed", "tool.file_read.completed"));
    expect(ofTurn(3)).toEqual(around("tool.glob.completed", "tool.completed"));
    expect(ofTurn(4)).toEqual(around("tool.glob.completed", "tool.completed"));
    expect(ofTurn(5)).toEqual(around("tool.grep.completed", "tool.completed"));
    expect(ofTurn(6)).toEqual(around("tool.todo_write.updated", "tool.completed"));
    const [artifact] = dataOf(events, "artifact.created");
    expect(dataOf(events, "tool.file_read.completed")).toMatchObject([
      { path: "a.txt", size_bytes: 4, lines: 1, truncated: false },
      { path: "long.txt", size_bytes: long.length, truncated: false, snippet_artifact_id: artifact?.artifact_id },
    ]);
    expect(dataOf(events, "tool.grep.completed")).toMatchObject([
      { pattern: "one", match_count: 1, matches: [{ path: "a.txt", line: 1, text: "one" }], truncated: false },
    ]);
    expect(dataOf(events, "tool.todo_write.updated")).toMatchObject([
      { todos: [{ content: "Read", status: "completed" }] },
    ]);
  });

  it("that change files leave a patch for each file, and one announcement for all files of a call", async () => {
    const patch =
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n";
    const edits = ["a.txt", "b.txt"].map((name) => ({ path: name, old_string: "2", new_string: "two" }));
    const { events, ofTurn, workspace } = await play(
      [
        { name: "file_write", input: { path: "c/d.txt", content: "1\n" } },
        { name: "file_edit", input: { path: "c/d.txt", old_string: "1", new_string: "2" } },
        { name: "apply_patch", input: { patch } },
        { name: "multi_edit", input: { edits } },
        { name: "apply_patch", input: { patch: "*** Begin Patch\n*** Delete File: new.txt\n*** End Patch" } },
      ],
      [],
      { "a.txt": "1\n2\n", "b.txt": "2\n" },
    );
    expect(readFileSync(path.join(workspace, "a.txt"), "utf8")).toBe("one\ntwo\n");
    const around = (...inner: string[]) => ["tool.invoked", "tool.started", "tool.completed", ...inner];
    expect(ofTurn(1)).toEqual(
      around("tool.file_write.proposed", "tool.file.patch", "artifact.created", "tool.file_write.applied"),
    );
    expect(ofTurn(2)).toEqual(around("tool.edit.proposed", "tool.file.patch", "artifact.created", "tool.edit.applied"));
    const both = [
      "tool.multi_edit.proposed",
      "tool.file.patch",
      "tool.file.patch",
      "artifact.created",
      "artifact.created",
      "tool.multi_edit.applied",
    ];
    expect(ofTurn(3)).toEqual(around(...both));
    expect(ofTurn(4)).toEqual(around(...both));
    expect(ofTurn(5)).toContain("tool.file.deleted");
    const patches = dataOf(events, "artifact.created").filter(({ kind }) => kind === "patch");
    expect(patches.map(({ path: file, attribution }) => [file, attribution])).toEqual([
      ["c/d.txt", "call"],
      ["c/d.txt", "call"],
      ["a.txt", "call"],
      ["new.txt", "call"],
      ["a.txt", "call"],
      ["b.txt", "call"],
      ["new.txt", "call"],
    ]);
    expect(dataOf(events, "tool.file.patch").every(({ artifact_id }) => artifact_id !== undefined)).toBe(true);
  });

  it("that request addresses tell the request before it is sent, and the answer once", async () => {
    const server = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const { events, ofTurn, model } = await play(
      [
        { name: "http_request", input: { url } },
        { name: "web_fetch", input: { url } },
        { name: "web_search", input: { query: "x" } },
        { name: "http_request", input: { url: "http://169.254.169.254/latest/meta-data/" } },
        { name: "http_request", input: { url: "http://unknown.test/" } },
      ],
      [`allow host 127.0.0.1:${port}`, "allow host 169.*"],
    );
    const around = (...inner: string[]) => ["tool.invoked", "tool.started", ...inner];
    expect(ofTurn(1)).toEqual(
      around("tool.http.requested", "artifact.created", "tool.http.response", "tool.completed"),
    );
    expect(ofTurn(2)).toEqual(
      around(
        "tool.web_fetch.requested",
        "artifact.created",
        "artifact.created",
        "tool.web_fetch.response",
        "tool.completed",
      ),
    );
    expect(ofTurn(3)).toEqual(around("error.tool_unavailable", "tool.failed"));
    expect(ofTurn(4)).toEqual(around("tool.failed"));
    expect(ofTurn(5)).toEqual(["tool.invoked", "policy.tool_blocked"]);
    expect(dataOf(events, "tool.http.response")).toMatchObject([{ status: 200, body_artifact_id: expect.any(String) }]);
    expect(model.requests.at(-1)).toContain("no service is configured");
  });

  it("answer a wrong input and an impossible request with an error, and the run goes on", async () => {
    const { events, model } = await play([
      { name: "read_file", input: { file: "a.txt" } },
      { name: "read_file", input: { path: "../../etc/passwd" } },
      { name: "file_edit", input: { path: "none.txt", old_string: "a", new_string: "b" } },
    ]);
    expect(events.at(-2)?.type).toBe("run.finished");
    const last = model.requests.at(-1) ?? "";
    expect(last).toContain('\\"path\\" is missing');
    expect(last).toContain("There is no file none.txt");
    expect(last.split("There is no file none.txt")).toHaveLength(2);
  });
});
