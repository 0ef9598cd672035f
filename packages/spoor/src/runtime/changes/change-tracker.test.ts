import type { AgentEvent } from "@spoor/protocol";
import { expect, it } from "vitest";
import { contentOf, type FileChange, type Snapshot, type Snapshots } from "../workspace/snapshot.ts";
import { ChangeTracker } from "./change-tracker.ts";

/** Snapshots of a list of names, which the test changes. */
function tracked() {
  const files: string[] = [];
  const clock = { now: 0 };
  const snapshots: Snapshots = {
    kind: "git",
    notes: [],
    take: async () => ({ id: files.join(" ") }),
    async compare(before: Snapshot, after: Snapshot) {
      const known = before.id.split(" ");
      const added = after.id.split(" ").filter((name) => name !== "" && !known.includes(name));
      const changes = added.map((path): FileChange => ({ path, after: contentOf("100644", Buffer.from(path)) }));
      return { changes, more: 0 };
    },
    read: async () => "absent",
    close: async () => {},
  };
  const open = async () => snapshots;
  const tracker = new ChangeTracker({ folder: "/work", kind: "git", open, except: [], now: () => clock.now });
  const base = { runId: "r", agent: "a", timestamp: 1, toolCallId: "c1", toolName: "Bash" };
  const look = (event: object) => tracker.look({ ...base, ...event } as AgentEvent, () => []);
  const start = { type: "tool_call_start", inputAccumulated: "", toolKind: "shell" };
  const ready = { type: "tool_call_ready", input: {}, toolKind: "shell" };
  const end = { type: "tool_result", output: null, durationMs: 1 };
  return { files, clock, tracker, look, start, ready, end };
}

it("what changed before the input of a call was complete is from outside", async () => {
  const { files, clock, tracker, look, start, ready, end } = tracked();
  tracker.start();
  await tracker.idle();
  clock.now = 5_000;
  files.push("mine");
  void look(start);
  await tracker.idle();
  void look(ready);
  files.push("its");
  expect((await look(end))?.changes.map(({ path, attribution }) => [path, attribution])).toEqual([
    ["mine", "outside"],
    ["its", "call"],
  ]);
});

it("what a snapshot saw only after the input was complete may be the call's own", async () => {
  const { files, clock, tracker, look, start, ready, end } = tracked();
  tracker.start();
  await tracker.idle();
  clock.now = 5_000;
  void look(start);
  void look(ready);
  files.push("its");
  await tracker.idle();
  expect((await look(end))?.changes.map(({ path, attribution }) => [path, attribution])).toEqual([["its", "call"]]);
});
