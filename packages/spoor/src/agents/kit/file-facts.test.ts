import { describe, expect, it } from "vitest";
import { diffsOfFragment } from "./diff.ts";
import { fileFactsOfCall, writtenFile } from "./file-facts.ts";

const touch = { content: "né", diffs: (path: string) => diffsOfFragment(path, "one", "two") };

describe("what a call did to a file", () => {
  it("follows from what its tool is for", () => {
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

  it("is nothing where it names none, and no diff where a text is missing", () => {
    expect(fileFactsOfCall("file_read", "", touch)).toEqual([]);
    expect(fileFactsOfCall("edit", "a", { ...touch, diffs: (path) => diffsOfFragment(path, "one", null) })).toEqual([]);
  });
});

it("a file that was written is a change, a new file, or just written, by what is known of it before", () => {
  expect(writtenFile("/a", "two\n", "one\n")).toMatchObject({
    op: "patch",
    diff: expect.stringContaining("-one\n+two\n"),
  });
  expect(writtenFile("a", "né", null)).toEqual({ op: "create", path: "a", byteCount: 3 });
  expect(writtenFile("a", "né", "")).toEqual({ op: "write", path: "a", byteCount: 3 });
  expect(writtenFile("a", "né")).toEqual({ op: "write", path: "a", byteCount: 3 });
});
