import { chmodSync, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openToolbox } from "../../../testing/loop/toolbox.ts";
import { changeFiles } from "./kit/change-files.ts";
import { planReplacements } from "./kit/edit-plan.ts";

describe("file_edit", () => {
  it("replaces a text that occurs once, keeps the rest and the mode, and reports the diff", async () => {
    const box = await openToolbox({ files: { "a.sh": "one\ntwo\nthree\n" } });
    chmodSync(path.join(box.root, "a.sh"), 0o755);
    const { result } = await box.call("file_edit", { path: "a.sh", old_string: "two", new_string: "2" });
    expect(box.tree()).toEqual({ "a.sh": "one\n2\nthree\n" });
    expect(statSync(path.join(box.root, "a.sh")).mode & 0o777).toBe(0o755);
    expect(result.output).toMatch(/^a\.sh: edited, \+1\/-1 lines, revision [0-9a-f]{12}$/);
    expect(result.files).toMatchObject([{ op: "patch", path: "a.sh", diff: expect.stringContaining("-two\n+2\n") }]);
  });

  it.each([
    ["a text that occurs twice", { old_string: "a", new_string: "b" }, "occurs 3 times (lines 1, 1, 2)"],
    ["overlapping places", { old_string: "aa", new_string: "b" }, "does not occur"],
    ["a text that is not there", { old_string: "zzz", new_string: "b" }, "read it again"],
    ["other white space", { old_string: "x\n    y", new_string: "b" }, "Line 3 is similar"],
    ["a change of nothing", { old_string: "x", new_string: "x" }, "nothing changes"],
    ["an old revision", { old_string: "x", new_string: "y", revision: "123" }, "Read it again."],
    ["half of a character", { old_string: "x", new_string: "\ud800" }, "surrogate"],
  ])("refuses %s and changes nothing", async (_, edit, why) => {
    const box = await openToolbox({ files: { "f.txt": "a_a\na\nx\n  y\n" } });
    const before = box.tree();
    expect(await box.error("file_edit", { path: "f.txt", ...edit })).toContain(why);
    expect(box.tree()).toEqual(before);
  });

  it("counts places that overlap, because either could be meant", async () => {
    const box = await openToolbox({ files: { "f.txt": "aaa" } });
    expect(await box.error("file_edit", { path: "f.txt", old_string: "aa", new_string: "b" })).toContain("2 times");
    await box.output("file_edit", { path: "f.txt", old_string: "aa", new_string: "b", replace_all: true });
    expect(box.read("f.txt")).toBe("ba");
  });

  it("refuses a file that changed since the model read it, by the revision", async () => {
    const box = await openToolbox({ files: { "f.txt": "one\n" } });
    const revision = /revision (\w+)/.exec(await box.output("read_file", { path: "f.txt" }))?.[1];
    box.write("f.txt", "one\nmore\n");
    const edit = { path: "f.txt", old_string: "one", new_string: "1", revision };
    expect(await box.error("file_edit", edit)).toContain("f.txt is not as you read it");
    const fresh = /revision (\w+)/.exec(await box.output("read_file", { path: "f.txt" }))?.[1];
    await box.output("file_edit", { ...edit, revision: fresh });
    expect(box.read("f.txt")).toBe("1\nmore\n");
  });

  it("keeps CRLF line ends, a byte order mark, and bytes that are no UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("\uFEFFa\r\nb\r\n"), Buffer.from([0xff, 0xfe, 13, 10])]);
    const box = await openToolbox({ files: { "f.txt": bytes } });
    await box.output("file_edit", { path: "f.txt", old_string: "a\nb", new_string: "a\nnew\nb" });
    expect(box.tree()["f.txt"]).toBe("\u00ef\u00bb\u00bfa\r\nnew\r\nb\r\n\u00ff\u00fe\r\n");
  });

  it("shows a person the diff before it is allowed, and that an impossible edit would fail", async () => {
    const box = await openToolbox({ files: { "f.txt": "one\n" } });
    const possible = { path: "f.txt", old_string: "one", new_string: "two" };
    expect(await box.describe("file_edit", possible)).toMatchObject({
      summary: "file_edit f.txt",
      diff: expect.stringContaining("-one\n+two\n"),
    });
    const impossible = { ...possible, old_string: "none" };
    expect((await box.describe("file_edit", impossible))?.detail).toContain(
      "It would fail: f.txt: old_string does not",
    );
    expect(box.read("f.txt")).toBe("one\n");
  });
});

describe("file_write", () => {
  it("makes a file with its folders, and replaces one", async () => {
    const box = await openToolbox();
    const { result } = await box.call("file_write", { path: "a/b/c.txt", content: "1\n" });
    expect(result.files).toEqual([{ op: "create", path: "a/b/c.txt", byteCount: 2 }]);
    const second = await box.call("file_write", { path: "a/b/c.txt", content: "2\n" });
    expect(second.result.files).toMatchObject([{ op: "patch", path: "a/b/c.txt" }]);
    expect(box.tree()).toEqual({ "a/b/c.txt": "2\n" });
  });

  it("changes nothing if the file has the content already", async () => {
    const box = await openToolbox({ files: { "f.txt": "1\n" } });
    const { result } = await box.call("file_write", { path: "f.txt", content: "1\n" });
    expect([result.error, result.files, result.summary]).toEqual([undefined, undefined, "f.txt: unchanged"]);
  });

  it("keeps the line ends, the byte order mark and the mode of the old file, and says so", async () => {
    const box = await openToolbox({ files: { "f.txt": "\uFEFF1\r\n2\r\n" } });
    chmodSync(path.join(box.root, "f.txt"), 0o600);
    const output = await box.output("file_write", { path: "f.txt", content: "3\n4\n" });
    expect(box.tree()["f.txt"]).toBe("\u00ef\u00bb\u00bf3\r\n4\r\n");
    expect(output).toContain("CRLF");
    expect(statSync(path.join(box.root, "f.txt")).mode & 0o777).toBe(0o600);
  });

  it("refuses a folder, a file in the way of a folder, and a revision of a file that is gone", async () => {
    const box = await openToolbox({ files: { "d/f.txt": "1" } });
    const before = box.tree();
    expect(await box.error("file_write", { path: "d", content: "" })).toContain("is a folder");
    expect(await box.error("file_write", { path: "d/f.txt/g", content: "" })).toContain("not a folder");
    expect(await box.error("file_write", { path: "new", content: "", revision: "1" })).toContain("any more");
    expect(box.tree()).toEqual(before);
  });
});

describe("multi_edit", () => {
  it("makes edits one after the other, in several files", async () => {
    const box = await openToolbox({ files: { "a.txt": "1 2", "b.txt": "x" } });
    const edits = [
      { path: "a.txt", old_string: "1", new_string: "one" },
      { path: "b.txt", old_string: "x", new_string: "y" },
      { path: "./a.txt", old_string: "one 2", new_string: "three" },
    ];
    const { result } = await box.call("multi_edit", { edits });
    expect(box.tree()).toEqual({ "a.txt": "three", "b.txt": "y" });
    expect(result.files).toMatchObject([{ path: "a.txt" }, { path: "b.txt" }]);
    expect(box.actions("multi_edit", { edits })).toMatchObject([
      { subject: "read" },
      { subject: "write", paths: [`${box.root}/a.txt`, `${box.root}/b.txt`] },
    ]);
  });

  it("changes nothing if one edit is impossible", async () => {
    const box = await openToolbox({ files: { "a.txt": "1", "b.txt": "x" } });
    const before = box.tree();
    const edits = [
      { path: "a.txt", old_string: "1", new_string: "2" },
      { path: "b.txt", old_string: "none", new_string: "y" },
    ];
    expect(await box.error("multi_edit", { edits })).toContain("None of the edits was made.");
    expect(box.tree()).toEqual(before);
  });

  it("puts back what it changed if a later file cannot be replaced", async () => {
    const box = await openToolbox({ files: { "a.txt": "1", "locked/b.txt": "x" } });
    const edits = [
      { path: "a.txt", old_string: "1", new_string: "2" },
      { path: "locked/b.txt", old_string: "x", new_string: "y" },
    ];
    const planned = await planReplacements(box, edits);
    const target = path.join(box.root, "locked/b.txt");
    // It is asked right before the files are replaced: then a folder takes the place of the second file.
    const signal = {
      get aborted() {
        renameSync(target, `${target}.moved`);
        mkdirSync(target);
        return false;
      },
    } as AbortSignal;
    await expect(changeFiles({ ...box, signal, run_id: "run_1", callId: "call-1" }, planned)).rejects.toThrow();
    expect(box.tree()).toEqual({ "a.txt": "1", "locked/b.txt.moved": "x" });
  });
});
