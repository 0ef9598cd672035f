import { describe, expect, it } from "vitest";
import { patchAppliedAndReverted } from "../../testing/stories/patches.ts";
import { after, inTurn, known, seen, soFar, stream, whole } from "../../testing/view/fold-script.ts";
import { viewOf } from "./fold.ts";

const DIFF = "--- a/a.ts\n+++ b/a.ts\n";
const edit = { id: "c1", name: "Edit", kind: "edit", input: { path: "a.ts" } } as const;
const edited = () =>
  inTurn().tool(edit).result("c1", "Edit", "ok").emit("file_patch", { path: "a.ts", diff: DIFF, toolCallId: "c1" });

describe("a file change", () => {
  it("is one item, although intent and patch are separate events", () => {
    const view = seen(edited());
    expect(view.files).toMatchObject([
      { path: "a.ts", operation: "edit", status: "applied", diff: DIFF, autoApply: true, toolCallId: "c1" },
    ]);
    expect(view.tools[0]?.files).toEqual([0]);
    expect(view.timeline.at(-1)).toEqual({ kind: "files", index: 0, sequence: 9, tool: 0 });
  });

  it("distinguishes new files, whole writes, deletions and batches", () => {
    const story = inTurn().tool({ ...edit, kind: "multi_edit" });
    story.emit("file_create", { path: "new.ts", byteCount: 3, toolCallId: "c1" });
    story.emit("file_write", { path: "old.ts", byteCount: 4, toolCallId: "c1" });
    story.emit("file_delete", { path: "gone.ts", toolCallId: "c1" });
    story.emit("file_patch", { path: "a.ts", diff: "1", toolCallId: "c1" });
    story.emit("file_patch", { path: "a.ts", diff: "2", toolCallId: "c1" });
    expect(seen(story).files.map(({ path, operation, status, diff }) => [path, operation, status, diff])).toEqual([
      ["new.ts", "create", "applied", undefined],
      ["old.ts", "write", "applied", undefined],
      ["gone.ts", "delete", "applied", undefined],
      ["a.ts", "edit", "applied", "1"],
      ["a.ts", "edit", "applied", "2"],
    ]);
  });

  it("belongs to no call if the agent does not report one", () => {
    const view = seen(inTurn().emit("file_patch", { path: "a.ts", diff: DIFF }));
    expect(view.files).toMatchObject([{ path: "a.ts", status: "applied" }]);
    expect(view.timeline.at(-1)).toEqual({ kind: "files", index: 0, sequence: 5 });
  });

  it("counts the lines of its diff until the stored patch says how many there are", () => {
    const diff = `${DIFF}@@ -1,2 +1,2 @@\n--- old\n+-- new\n same\n`;
    const told = stream(
      known("tool.file.patch", { kind: "file", operation: "write", path: "a.ts", artifact_id: "p", diff }),
    );
    expect(viewOf(told).files).toMatchObject([{ additions: 1, deletions: 1 }]);
    const stored = { artifact_id: "p", kind: "patch", additions: 7, deletions: 2 };
    expect(viewOf(after(told, known("artifact.created", stored))).files).toMatchObject([
      { additions: 7, deletions: 2 },
    ]);
  });

  it("is proposed until it is applied", () => {
    const proposed = stream(
      known("tool.edit.proposed", { path: "a.ts", auto_apply: false, patch_artifact_id: "p", summary: "+1/-1" }),
      known("tool.file.patch", { kind: "file", operation: "propose", path: "a.ts", artifact_id: "p", diff: DIFF }),
    );
    expect(viewOf(proposed).files).toMatchObject([
      { status: "proposed", artifactId: "p", diff: DIFF, summary: "+1/-1", autoApply: false },
    ]);
    const applied = after(
      proposed,
      known("tool.file.applied", { artifact_id: "p", path: "a.ts", artifact_status: "applied" }),
    );
    expect(viewOf(applied).files).toMatchObject([{ status: "applied", appliedAt: expect.any(String) }]);
  });

  it("is reverted by its patch, and shows who reverted it and why", () => {
    const reverted = known("tool.edit.reverted", { patch_artifact_id: "p", reverted_by: "ann", reason: "wrong" });
    const applied = known("tool.edit.applied", {
      patch_artifact_id: "p",
      tool_call_id: "c1",
      applied_at: "2026-11-02T10:00:00Z",
    });
    const view = viewOf(after(soFar(edited()), applied, reverted));
    expect(view.files).toMatchObject([
      { status: "reverted", artifactId: "p", revertedBy: "ann", reason: "wrong", appliedAt: "2026-11-02T10:00:00Z" },
    ]);
  });

  it("is found by its path when its patch was stored later", () => {
    const reverted = known("tool.file.reverted", {
      artifact_id: "p",
      path: "a.ts",
      artifact_status: "reverted",
      before_existed: true,
    });
    expect(viewOf(after(soFar(edited()), reverted)).files).toMatchObject([{ status: "reverted", artifactId: "p" }]);
  });

  it("is found by the event that its artifact names, and follows updates of the artifact", () => {
    const before = soFar(edited());
    const patch = before.find(({ type }) => type === "tool.file.patch");
    const stored = after(
      before,
      known("artifact.created", {
        artifact_id: "p",
        kind: "patch",
        size_bytes: 9,
        created_by_event_id: patch?.event_id ?? "",
      }),
      known("artifact.updated", { artifact_id: "p", field: "status", old_value: "applied", new_value: "reverted" }),
    );
    expect(viewOf(stored).files).toMatchObject([{ status: "reverted", artifactId: "p" }]);
    expect(viewOf(stored).artifacts).toMatchObject([{ id: "p", kind: "patch", sizeBytes: 9 }]);
  });

  it("of an unknown patch is shown with its known fields", () => {
    const view = viewOf(stream(["tool.multi_edit.reverted", { patch_artifact_ids: ["p", "q"], reverted_by: "ann" }]));
    expect(view.files.map(({ artifactId, status }) => [artifactId, status])).toEqual([
      ["p", "reverted"],
      ["q", "reverted"],
    ]);
  });
});

it("the golden run of patches ends with every change in its last state", () => {
  const view = viewOf(whole(patchAppliedAndReverted()));
  expect(view.files.map(({ path, status }) => [path, status])).toEqual([
    ["config.json", "reverted"],
    ["port.txt", "reverted"],
    ["docs/port.md", "applied"],
  ]);
  expect(view.state).toBe("done");
});
