import { describe, expect, it } from "vitest";
import { openToolbox } from "../../../testing/loop/toolbox.ts";

describe("read_file", () => {
  it("shows numbered lines without line ends and byte order mark, and names the revision", async () => {
    const box = await openToolbox({ files: { "src/a.txt": "\uFEFFone\r\ntwo\r\n" } });
    const { result, kept } = await box.call("read_file", { path: "src/a.txt" });
    expect(result.output).toMatch(/^src\/a\.txt: 2 lines, 13 bytes, revision [0-9a-f]{12}\n1\tone\n2\ttwo$/);
    expect(result.files).toEqual([{ op: "read", path: "src/a.txt" }]);
    expect(result.fields).toEqual({ "tool.file_read.completed": { size_bytes: 13, lines: 2, truncated: false } });
    expect(kept).toEqual([]);
  });

  it("takes an absolute path inside the workspace, and judges the same path", async () => {
    const box = await openToolbox({ files: { "a.txt": "one" } });
    expect(await box.output("read_file", { path: `${box.root}/./x/../a.txt` })).toContain("1\tone");
    expect(box.actions("read_file", { path: "x/../a.txt" })).toEqual([
      { subject: "read", cwd: box.root, tool: "read_file", paths: [`${box.root}/a.txt`] },
    ]);
  });

  it("says that a part is left out, to the model and in the event, and keeps what it read as an artifact", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`);
    const box = await openToolbox({ files: { "a.txt": lines.join("\n") } });
    const { result, kept } = await box.call("read_file", { path: "a.txt" });
    expect(result.output).toContain("lines 1-2000 of 5000");
    expect(result.output.endsWith("[Read on with offset 2001.]")).toBe(true);
    expect(kept).toMatchObject([{ kind: "file_snapshot", name: "a.txt" }]);
    expect(result.fields).toMatchObject({
      "tool.file_read.completed": { lines: 2_000, truncated: true, snippet_artifact_id: "art_1" },
    });
    expect(await box.output("read_file", { path: "a.txt", offset: 4_999, limit: 2 })).toContain(
      "4999\tline 4999\n5000\t",
    );
    expect(await box.error("read_file", { path: "a.txt", offset: 5_001 })).toContain("only 5000 lines");
  });

  it("cuts long lines and stops before the output gets too large", async () => {
    const box = await openToolbox({ files: { "a.txt": `${"x".repeat(1_000_000)}\n`.repeat(9) } });
    const output = await box.output("read_file", { path: "a.txt" });
    expect(output).toContain("[cut: the line has 1000000 characters]");
    expect(output.length).toBeLessThan(64 * 1024);
  });

  it.each([
    ["a folder", "src", "is a folder"],
    ["a missing file", "none.txt", "There is no file none.txt"],
    ["the workspace", ".", "is the workspace"],
    ["a binary file", "b.bin", "binary file (4 bytes)"],
    ["UTF-16", "w.txt", "UTF-16"],
    ["a file that is too large", "large.txt", "are not read or edited whole"],
  ])("explains why it cannot read %s", async (_, path, why) => {
    const files = { "src/a.txt": "", "b.bin": Buffer.from([1, 0, 2, 3]), "w.txt": Buffer.from([255, 254, 65, 0]) };
    const box = await openToolbox({ files: { ...files, "large.txt": Buffer.alloc(10 * 1024 ** 2 + 1, 65) } });
    expect(await box.error("read_file", { path })).toContain(why);
  });

  it("reads an empty file", async () => {
    const box = await openToolbox({ files: { "a.txt": "" } });
    expect(await box.output("read_file", { path: "a.txt" })).toContain("a.txt: 0 lines, 0 bytes");
  });
});

describe("an input that a model got wrong", () => {
  it.each([
    [{}, '"path" is missing'],
    [{ path: 3 }, '"path": expected string'],
    [{ path: "" }, '"path": expected string length'],
    [{ path: "a", ofset: 1 }, '"ofset" is unknown'],
    [{ path: "a", offset: 0 }, '"offset": expected integer to be greater or equal to 1'],
    ["a", "must be a JSON object"],
    [null, "must be a JSON object"],
    [[], "must be a JSON object"],
  ])("is returned with what is wrong: %j", async (input, why) => {
    const error = await (await openToolbox()).error("read_file", input);
    expect(error).toContain(why);
    expect(error).toContain("It takes path, offset (optional), limit (optional).");
  });
});

describe("list_dir", () => {
  it("lists entries by name with their kinds, and tells it as an event", async () => {
    const box = await openToolbox({ files: { "src/b.ts": "123", "src/a/x.ts": "" } });
    const { result, events } = await box.call("list_dir", { path: "src/" });
    expect(result.output).toBe("a/\nb.ts (3 bytes)");
    const data = { tool_call_id: "call-1", pattern: "src/*", matches: ["src/a/", "src/b.ts"], match_count: 2 };
    expect(events).toEqual([["tool.glob.completed", { ...data, truncated: false }]]);
    expect(await box.output("list_dir", {})).toBe("src/");
    expect(await box.error("list_dir", { path: "none" })).toBe("There is no folder none.");
    expect(await box.error("list_dir", { path: "src/b.ts" })).toContain("not a folder");
  });

  it("shows the first thousand of very many entries and says so", async () => {
    const files = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`f${index}`, ""]));
    const box = await openToolbox({ files });
    const { result, events } = await box.call("list_dir", {});
    expect(result.output).toContain("[1200 entries; only the first 1000 are shown.");
    expect(events[0]?.[1]).toMatchObject({ match_count: 1_200, truncated: true });
  });
});
