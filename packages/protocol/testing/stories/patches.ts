import { Story } from "../story.ts";

const DIFF = '--- a/config.json\n+++ b/config.json\n@@ -1 +1 @@\n-{}\n+{"port":8080}\n';
const PATCH = "art_01K9ZC0000PATCH00000000001";
const CREATED = "art_01K9ZC0000PATCH00000000002";

/** Changes are stored as artifacts: one is applied by hand and reverted after the run, one is reverted with its batch. */
export const patchAppliedAndReverted = (): Story =>
  new Story("Set the port.")
    .begin()
    .turn()
    .tool({ id: "p1", name: "Edit", kind: "edit", input: { file_path: "config.json" } })
    .result("p1", "Edit", "ok")
    .emit("file_patch", { path: "config.json", diff: DIFF, toolCallId: "p1" })
    .fact("artifact.created", {
      artifact_id: PATCH,
      kind: "patch",
      size_bytes: DIFF.length,
      summary: "config.json: 1 hunk, +1/-1",
    })
    .fact("tool.edit.applied", { tool_call_id: "p1", patch_artifact_id: PATCH, applied_at: "2026-11-02T09:00:00.020Z" })
    .tool({ id: "p2", name: "Write", kind: "file_write", input: { file_path: "port.txt" } })
    .result("p2", "Write", "ok")
    .emit("file_create", { path: "port.txt", byteCount: 4, toolCallId: "p2" })
    .fact("artifact.created", { artifact_id: CREATED, kind: "patch", size_bytes: 64 })
    .fact("tool.file_write.applied", {
      tool_call_id: "p2",
      patch_artifact_id: CREATED,
      applied_at: "2026-11-02T09:00:00.030Z",
    })
    .fact("tool.file.patch", {
      kind: "file",
      operation: "propose",
      path: "docs/port.md",
      artifact_id: "art_01K9ZC0000PATCH00000000003",
      artifact_status: "proposed",
    })
    .fact("tool.multi_edit.applied", {
      tool_call_id: "p2",
      patch_artifact_ids: [PATCH, CREATED],
      applied_at: "2026-11-02T09:00:00.040Z",
    })
    .endTurn()
    .turn()
    .message("The port is 8080.")
    .endTurn()
    .end()
    .late("tool.file.applied", {
      artifact_id: "art_01K9ZC0000PATCH00000000003",
      path: "docs/port.md",
      artifact_status: "applied",
    })
    .late("artifact.updated", {
      artifact_id: "art_01K9ZC0000PATCH00000000003",
      field: "status",
      old_value: "proposed",
      new_value: "applied",
    })
    .late("tool.file.reverted", {
      artifact_id: PATCH,
      path: "config.json",
      artifact_status: "reverted",
      before_existed: true,
    })
    .late("tool.edit.reverted", { patch_artifact_id: PATCH, reverted_by: "operator", reason: "wrong port" })
    .late("artifact.referenced", {
      artifact_id: PATCH,
      by_event_id: "evt_01K9ZC00000000000000000001",
      relation: "consumed",
    })
    .late("tool.file_write.reverted", { patch_artifact_id: CREATED, reverted_by: "operator" })
    .late("tool.multi_edit.reverted", { patch_artifact_ids: [PATCH, CREATED], reverted_by: "operator" })
    .late("task.updated", {})
    .late("external.event", { note: "reviewed" });
