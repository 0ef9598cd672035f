import { describe, expect, it } from "vitest";
import { diffsOfFragment } from "./diff.ts";
import { fileFactsOfCall, writtenFile } from "./file-facts.ts";

const touch = { content: "né", diffs: (path: string) => diffsOfFragment(path, "one", "two") };

describe("the file facts of a call", () => {
  it("follow from the kind of its tool", () => {
    expect(fileFactsOfCall("file_read", "a", touch)).toEqual([{ op: "read", path: "a" }]);
    expect(fileFactsOfCall("file_write", "a", touch)).toEqual([{ op: "write", path: "a", byteCount: 3 }]);
    expect(fileFactsOfCall("file_write", "a", { ...touch, isNew: true })).toEqual([
      { op: "create", path: "a", byteCount: 3 },
    ]);
    expect(fileFactsOfCall("multi_edit", "/a", touch)).toEqual([
      { op: "patch", path: "/a", diff: "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-one\n+two\n" },
    ]);
    expect(fileFactsOfCall("grep", "a", touch)).toEqual([]);
  });

  it("are empty if it names no file or a text of the diff is missing", () => {
    expect(fileFactsOfCall("file_read", "", touch)).toEqual([]);
    expect(fileFactsOfCall("edit", "a", { ...touch, diffs: (path) => diffsOfFragment(path, "one", null) })).toEqual([]);
  });
});

it("a written file is a patch, a new file or a plain write, depending on what is known of its old content", () => {
  expect(writtenFile("/a", "two\n", "one\n")).toMatchObject({
    op: "patch",
    diff: expect.stringContaining("-one\n+two\n"),
  });
  expect(writtenFile("a", "né", null)).toEqual({ op: "create", path: "a", byteCount: 3 });
  expect(writtenFile("a", "né", "")).toEqual({ op: "write", path: "a", byteCount: 3 });
  expect(writtenFile("a", "né")).toEqual({ op: "write", path: "a", byteCount: 3 });
});
