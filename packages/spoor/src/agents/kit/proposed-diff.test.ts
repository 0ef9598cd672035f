import { describe, expect, it } from "vitest";
import { proposedDiff } from "./proposed-diff.ts";

describe("the diff of a proposed change", () => {
  it.each([
    ["claude and qwen", { file_path: "/a.txt", old_string: "one", new_string: "two" }],
    ["claude, several edits", { file_path: "/a.txt", edits: [{ old_string: "one", new_string: "two" }] }],
    ["opencode", { filePath: "/a.txt", oldString: "one", newString: "two" }],
    ["pi", { path: "/a.txt", oldText: "one", newText: "two" }],
    ["copilot", { path: "/a.txt", old_str: "one", new_str: "two" }],
    ["codex", { changes: [{ path: "/a.txt", kind: { type: "update" }, diff: "@@ -1,1 +1,1 @@\n-one\n+two\n" }] }],
  ])("is read from the input as %s gives it", (_, input) => {
    expect(proposedDiff(input)).toBe("--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n");
  });

  it("contains all lines of an added or deleted file, and keeps a patch as it is", () => {
    const added = proposedDiff({ changes: [{ path: "a", kind: { type: "add" }, diff: "one\n" }] });
    expect(added).toMatch(/\n\+one\n$/);
    const deleted = proposedDiff({ changes: [{ path: "a", kind: { type: "delete" }, diff: "one\n" }] });
    expect(deleted).toMatch(/\n-one\n$/);
    expect(proposedDiff({ patch: "*** Begin Patch" })).toBe("*** Begin Patch");
  });

  it.each([undefined, null, "text", {}, { command: "ls" }, { file_path: "a", content: "all" }, { changes: [7, {}] }])(
    "is undefined for %j",
    (input) => expect(proposedDiff(input)).toBeUndefined(),
  );
});
