import { describe, expect, it } from "vitest";
import { countDiff } from "./diff-lines.ts";

describe("counting the lines of a diff", () => {
  it.each([
    ["nothing", "", 0, 0],
    ["heads of files are no lines", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", 1, 1],
    ["a removed comment of SQL looks like a head", "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- old\n a\n", 0, 1],
    ["an added line may begin with two plus signs", "@@ -1 +1,2 @@\n a\n+++ i;\n", 1, 0],
    ["several files", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -0,0 +1,2 @@\n+c\n+d\n", 3, 1],
    ["files without a line break at the end", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", 1, 1],
    ["signed lines without a head", "-a\n+b\n+c", 2, 1],
    ["a head without numbers", "--- a/x\n+++ b/x\n@@\n-a\n+b\n", 1, 1],
    ["a hunk that was cut off", "@@ -1,90 +1,90 @@\n-a\n+b\n", 1, 1],
  ])("%s", (_, diff, additions, deletions) => {
    expect(countDiff(diff)).toEqual({ additions, deletions });
  });
});
