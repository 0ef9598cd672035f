import { readdirSync, readFileSync } from "node:fs";
import { createRunFold, type Envelope } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { type FoldedEvent, factsAfter, RunFactsFold } from "./run-facts.ts";

/** The golden runs and lifecycles. Of two of them, events are missing. */
const golden = new URL("../../../../protocol/fixtures/envelopes/", import.meta.url);
const runs = readdirSync(golden)
  .filter((name) => name !== "pruned.jsonl" && name !== "lost.jsonl")
  .map((name): [string, string[]] => [name, readFileSync(new URL(name, golden), "utf8").trimEnd().split("\n")]);
const parsed = (lines: readonly string[]): Envelope[] => lines.map((line) => JSON.parse(line));
const folded = ({ type, data, occurred_at }: Envelope): FoldedEvent => ({
  type,
  data,
  timestamp: Date.parse(occurred_at),
});
const isDelta = (type: string): boolean => /_delta$|output_chunk$/.test(type);

describe.each(runs)("the facts of %s", (_, lines) => {
  const envelopes = parsed(lines);

  it("tell the same state as the view after every event", () => {
    const fold = new RunFactsFold();
    const view = createRunFold();
    for (const envelope of envelopes) {
      fold.add([folded(envelope)]);
      view.fold(envelope);
      if (isDelta(envelope.type)) continue;
      expect([envelope.sequence, envelope.type, fold.facts.state]).toEqual([
        envelope.sequence,
        envelope.type,
        view.snapshot().state,
      ]);
    }
  });

  it("are the same from drafts and from stored events, and the sum of all changes", () => {
    const live = new RunFactsFold();
    const row: Record<string, unknown> = {};
    for (const envelope of envelopes) {
      const { type, timestamp } = folded(envelope);
      const changes = live.add([{ type, timestamp, json: JSON.stringify(envelope.data) }]) ?? {};
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) delete row[name];
        else row[name] = value;
      }
    }
    const rebuilt = new RunFactsFold();
    rebuilt.add(envelopes.map(folded));
    expect(live.facts).toEqual(rebuilt.facts);
    expect(row).toEqual(rebuilt.facts);
  });

  it("leave nothing open at the end", () => {
    const fold = new RunFactsFold();
    fold.add(envelopes.map(folded));
    expect(fold.facts).not.toHaveProperty("now");
    expect(fold.facts.pending ?? 0).toBe(0);
    expect(fold.facts).not.toHaveProperty("parked");
  });
});

const event = (type: string, data: Record<string, unknown> = {}): FoldedEvent => ({ type, data, timestamp: 1 });

describe("the facts of a run", () => {
  it("say in one line what it does now", () => {
    const fold = new RunFactsFold();
    const now = (type: string, data?: Record<string, unknown>) => {
      fold.add([event(type, data)]);
      return fold.facts.now;
    };
    expect(now("run.queued")).toBe("is queued");
    expect(now("run.started", { worker_id: "w" })).toBe("starts");
    expect(now("turn.started", { model: "opus" })).toBe("calls the model opus");
    expect(now("tool.shell.command", { command_string: "npm\n test\u001b[31m" })).toBe("runs npm test [31m");
    expect(now("tool.completed", { summary: "x" })).toBe("runs npm test [31m");
    expect(now("approval.requested", { approval_id: "a", summary: "rm" })).toBe("asks for permission: rm");
    expect(now("run.failed", { code: "aborted" })).toBeUndefined();
  });

  it("count open approvals and questions, and park only runs without a process of their own", () => {
    for (const [kind, parked] of [
      ["agent", undefined],
      ["agent_loop", true],
    ] as const) {
      const fold = new RunFactsFold();
      fold.add([event("run.created", { kind }), event("run.started", { worker_id: "w" })]);
      fold.add([event("approval.requested", { approval_id: "a" }), event("input.requested", { interaction_id: "q" })]);
      expect(fold.facts).toMatchObject({ status: "awaiting_approval", pending: 2, state: "blocked" });
      expect(fold.facts.parked).toBe(parked);
      fold.add([event("approval.resolved", { approval_id: "a" }), event("approval.resolved", { approval_id: "a" })]);
      expect(fold.facts).toMatchObject({ pending: 1, state: "blocked" });
      expect(fold.add([event("user.message", { interaction_id: "q" })])).toMatchObject({
        pending: 0,
        status: "running",
        state: "working",
      });
    }
  });

  it("count files once and lines once, whether the agent or the stored patch tells them", () => {
    const fold = new RunFactsFold();
    const diff = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n";
    fold.add([event("tool.file.patch", { path: "x", tool_call_id: "1", diff })]);
    expect(fold.facts).toMatchObject({ files_changed: 1, additions: 2, deletions: 1 });
    const patch = { kind: "patch", path: "x", tool_call_id: "1", status: "applied", additions: 2, deletions: 1 };
    expect(fold.add([event("artifact.created", patch)])).toBeUndefined();
    fold.add([event("artifact.created", { ...patch, tool_call_id: "2" })]);
    expect(fold.facts).toMatchObject({ files_changed: 1, additions: 4, deletions: 2 });
    fold.add([event("artifact.created", { ...patch, path: "y", attribution: "outside" })]);
    fold.add([event("artifact.created", { ...patch, path: "z", inverse_of: "art_1" })]);
    expect(fold.facts).toMatchObject({ files_changed: 1 });
  });

  it("count a file that the run made by the lines it has, and any other file by all its edits", () => {
    const fold = new RunFactsFold();
    let calls = 0;
    const patch = (path: string, additions: number, deletions: number, before_existed = true) => {
      calls += 1;
      const fields = { tool_call_id: `${calls}`, status: "applied", additions, deletions, before_existed };
      fold.add([event("artifact.created", { kind: "patch", path, ...fields })]);
    };
    patch("new.sh", 3, 0, false);
    patch("new.sh", 1, 1);
    expect(fold.facts).toMatchObject({ files_changed: 1, additions: 3 });
    expect(fold.facts.deletions ?? 0).toBe(0);
    patch("old.sh", 2, 1);
    patch("old.sh", 1, 2);
    expect(fold.facts).toMatchObject({ files_changed: 2, additions: 6, deletions: 3 });
    // It was there before the run, so its lines were removed and others added.
    patch("moved.sh", 0, 5);
    patch("moved.sh", 4, 0, false);
    expect(fold.facts).toMatchObject({ files_changed: 3, additions: 10, deletions: 8 });
    // The new file is removed again.
    patch("new.sh", 0, 3);
    expect(fold.facts).toMatchObject({ additions: 7, deletions: 8 });
  });

  it("count the lines of a new file that only the input of its call tells", () => {
    const fold = new RunFactsFold();
    const write = (tool_call_id: string, content: string, bytes_written: number, before_existed = false) => {
      const input = { file_path: tool_call_id, content };
      fold.add([
        event("assistant.tool_call_proposed", { tool_call_id, tool_name: "Write", kind: "file_write", input }),
        event("tool.file.patch", { path: tool_call_id, tool_call_id, bytes_written, before_existed }),
      ]);
    };
    write("a.js", "one\ntwo\n", 8);
    expect(fold.facts).toMatchObject({ files_changed: 1, additions: 2 });
    write("b.js", "one\ntwo\n", 9);
    write("c.js", "one\ntwo\n", 8, true);
    expect(fold.facts).toMatchObject({ files_changed: 3, additions: 2 });
  });

  it("count a file once that the agent names by its whole path and the stored patch by its path in the workspace", () => {
    const fold = new RunFactsFold();
    fold.add([event("run.created", { kind: "agent", workspace_path: "/home/me/project" })]);
    for (const path of ["/home/me/project/src/x", "./src/x", "/home/me/project-2/src/x"]) {
      fold.add([event("tool.file.patch", { path, tool_call_id: "1", artifact_id: "art_1" })]);
    }
    fold.add([event("artifact.created", { kind: "patch", path: "src/x", tool_call_id: "1", status: "applied" })]);
    fold.add([event("tool.file.deleted", { path: "/home/me/project/src/x", tool_call_id: "2" })]);
    expect(fold.facts).toMatchObject({ files_changed: 2 });
  });

  it("end at the time that the log stores, which never goes back", () => {
    const fold = new RunFactsFold();
    fold.add([{ ...event("cost.budget_exceeded", {}), timestamp: 5 }]);
    fold.add([{ ...event("run.failed", { code: "budget_exceeded" }), timestamp: 4 }]);
    expect(fold.facts).toMatchObject({ status: "failed", ended_at: 5 });
  });

  it("go on from a row, and take over what another process has stored", () => {
    const row = { status: "awaiting_approval", kind: "agent", pending: 2, worker_id: "w", state: "blocked" } as const;
    expect(factsAfter(row, [event("approval.resolved", { approval_id: "a" })])).toEqual({
      pending: 1,
      now: "goes on: answered",
    });
    const fold = new RunFactsFold(row);
    fold.adopt({ pending: 0, status: "running", state: "working" });
    expect(fold.add([event("tool.started", { tool_name: "Bash" })])).toEqual({ now: "uses Bash" });
  });

  it("tell what a call does by its input rather than by its name", () => {
    const fold = new RunFactsFold({ status: "running", state: "working" });
    const call = { tool_call_id: "1", tool_name: "Bash", kind: "shell" };
    const now = (type: string, data: object) => {
      fold.add([event(type, data)]);
      return fold.facts.now;
    };
    expect(now("assistant.tool_call_proposed", { ...call, input: { command: "npm test" } })).toBe("runs npm test");
    expect(now("tool.invoked", call)).toBe("runs npm test");
    expect(now("tool.started", { ...call, tool_call_id: "2" })).toBe("uses Bash");
    const read = { tool_call_id: "3", tool_name: "Read", kind: "file_read", input: { file_path: "src/calc.js" } };
    expect(now("assistant.tool_call_proposed", read)).toBe("reads src/calc.js");
    const other = { tool_call_id: "4", tool_name: "Look", kind: "other", input: "x" };
    expect(now("assistant.tool_call_proposed", other)).toBe("reads src/calc.js");
    expect(now("tool.invoked", other)).toBe("uses Look");
  });

  it("count a file once that changes again after another process has taken up the run", () => {
    const change = (call: string) => [event("tool.file.patch", { path: "x", tool_call_id: call, diff: "+a\n" })];
    const past = new RunFactsFold();
    past.add(change("1"));
    const taken = new RunFactsFold(past.facts, past);
    expect(taken.add([...change("1"), ...change("2")])).toEqual({ additions: 2 });
  });

  it("are not parsed for events that change nothing", () => {
    const fold = new RunFactsFold();
    const broken = { timestamp: 1, json: "{ not JSON" };
    for (const type of ["assistant.text_delta", "tool.shell.output_chunk", "tool.completed", "debug.log", "acme.x"]) {
      expect(() => fold.add([{ ...broken, type }])).not.toThrow();
    }
  });
});
