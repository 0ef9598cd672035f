import { describe, expect, it } from "vitest";
import { diffsOfPiece } from "./diff.ts";
import { touched, written } from "./file-facts.ts";

const touch = { content: "né", diffs: (path: string) => diffsOfPiece(path, "one", "two") };

describe("what a call did to a file", () => {
  it("follows from what its tool is for", () => {
    expect(touched("file_read", "a", touch)).toEqual([{ op: "read", path: "a" }]);
    expect(touched("file_write", "a", touch)).toEqual([{ op: "write", path: "a", byteCount: 3 }]);
    expect(touched("file_write", "a", { ...touch, isNew: true })).toEqual([{ op: "create", path: "a", byteCount: 3 }]);
    expect(touched("multi_edit", "/a", touch)).toEqual([
      { op: "patch", path: "/a", diff: "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-one\n+two\n" },
    ]);
    expect(touched("grep", "a", touch)).toEqual([]);
  });

  it("is nothing where it names none, and no diff where a text is missing", () => {
    expect(touched("file_read", "", touch)).toEqual([]);
    expect(touched("edit", "a", { ...touch, diffs: (path) => diffsOfPiece(path, "one", null) })).toEqual([]);
  });
});

it("a file that was written is a change, a new file, or just written, by what is known of it before", () => {
  expect(written("/a", "two\n", "one\n")).toMatchObject({ op: "patch", diff: expect.stringContaining("-one\n+two\n") });
  expect(written("a", "né", null)).toEqual({ op: "create", path: "a", byteCount: 3 });
  expect(written("a", "né", "")).toEqual({ op: "write", path: "a", byteCount: 3 });
  expect(written("a", "né")).toEqual({ op: "write", path: "a", byteCount: 3 });
});
