import { describe, expect, it } from "vitest";
import { coloursOf } from "./colours.ts";
import { mergePieces } from "./merge-pieces.ts";
import { type DiffHunk, parseDiff } from "./parse-diff.ts";
import { rowsOf } from "./rows.ts";
import { wordMarks } from "./word-marks.ts";

const hunkOf = (lines: string): DiffHunk => parseDiff(lines)[0]?.hunks[0] as DiffHunk;

describe("the rows of a hunk", () => {
  it("put removed lines beside the lines that replace them", () => {
    const rows = rowsOf(hunkOf("@@ -1,3 +1,4 @@\n a\n-b\n-c\n+B\n+C\n+D\n"), "split");
    expect(rows.map((row) => row.kind === "pair" && [row.old?.text, row.new?.text])).toEqual([
      ["a", "a"],
      ["b", "B"],
      ["c", "C"],
      [undefined, "D"],
    ]);
  });

  it("begin a new block when lines are removed again", () => {
    const rows = rowsOf(hunkOf("@@ -1,2 +1,2 @@\n-a\n+A\n-b\n+B\n"), "split");
    expect(rows.map((row) => row.kind === "pair" && [row.old?.text, row.new?.text])).toEqual([
      ["a", "A"],
      ["b", "B"],
    ]);
  });

  it("know their partner only in blocks of equal length when unified", () => {
    const partners = (text: string) =>
      rowsOf(hunkOf(text), "unified").map((row) => row.kind === "line" && row.partner?.text);
    expect(partners("@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n")).toEqual(["A", "B", "a", "b"]);
    expect(partners("@@ -1,1 +1,2 @@\n-a\n+A\n+B\n")).toEqual([undefined, undefined, undefined]);
  });
});

describe("marked words", () => {
  const marked = (old: string, next: string, side: "old" | "new") =>
    wordMarks(old, next, side)?.flatMap(({ text, isMarked }) => (isMarked ? [text] : []));

  it("are the ones that differ", () => {
    expect(marked("  return a - b;", "  return a + b;", "old")).toEqual(["-"]);
    expect(marked("  return a - b;", "  return a + b;", "new")).toEqual(["+"]);
    expect(
      wordMarks("a  b", "a b", "old")
        ?.map(({ text }) => text)
        .join(""),
    ).toBe("a  b");
  });

  it("are left out where lines have little in common or are too long", () => {
    expect(wordMarks("import x from 'y';", "}", "old")).toBeUndefined();
    expect(wordMarks("a ".repeat(2_000), "b ".repeat(2_000), "old")).toBeUndefined();
    expect(wordMarks("same", "same", "old")).toBeUndefined();
  });
});

describe("the pieces of a line", () => {
  it("are cut where the colour or the mark changes, and lose no character", () => {
    const colours = [
      { text: "  ", className: undefined },
      { text: "return", className: "k" },
      { text: " a - b;", className: undefined },
    ];
    const marks = wordMarks("  return a - b;", "  return a + b;", "old");
    const pieces = mergePieces("  return a - b;", colours, marks);
    expect(pieces.map(({ text }) => text).join("")).toBe("  return a - b;");
    expect(pieces.filter(({ isMarked }) => isMarked)).toEqual([{ text: "-", className: undefined, isMarked: true }]);
    expect(pieces.find(({ className }) => className === "k")?.text).toBe("return");
    expect(mergePieces("", colours, marks)).toEqual([]);
    expect(mergePieces("x", colours, undefined)).toEqual([{ text: "x", className: undefined, isMarked: false }]);
  });

  it("are coloured with the lines of their own side around them", () => {
    const [file] = parseDiff("@@ -1,2 +1,2 @@\n /* a\n-b */\n+c */\n");
    if (!file) throw new Error("no file");
    const seen: string[] = [];
    const colours = coloursOf(file, (text) => {
      seen.push(text);
      return [{ text, className: "co" }];
    });
    expect(seen).toEqual(["/* a\nb */", "/* a\nc */"]);
    expect([...colours].map(([line, pieces]) => [line.sign, pieces[0]?.text])).toEqual([
      [" ", "/* a"],
      ["-", "b */"],
      ["+", "c */"],
    ]);
  });
});
