import { describe, expect, it } from "vitest";
import { changedLines, parseDiff } from "./parse-diff.ts";

const edit = `diff --git a/src/calc.js b/src/calc.js
index 1111111..2222222 100644
--- a/src/calc.js
+++ b/src/calc.js
@@ -1,3 +1,3 @@ export
 export function add(a, b) {
-  return a - b;
+  return a + b;
 }
`;

describe("reading a diff", () => {
  it("numbers the lines of both sides and keeps the heading of the hunk", () => {
    const [file] = parseDiff(edit);
    expect(file).toMatchObject({ path: "src/calc.js", change: "edit", additions: 1, deletions: 1, isCut: false });
    expect(file?.hunks).toEqual([
      {
        ...{ index: 0, range: "−1,3 +1,3", heading: "export" },
        lines: [
          { sign: " ", text: "export function add(a, b) {", old: 1, new: 1 },
          { sign: "-", text: "  return a - b;", old: 2 },
          { sign: "+", text: "  return a + b;", new: 2 },
          { sign: " ", text: "}", old: 3, new: 3 },
        ],
      },
    ]);
  });

  it("reads files that are new, deleted, renamed, copied, binary or only change their permissions", () => {
    const files = parseDiff(`diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+x
\\ No newline at end of file
diff --git a/old b/old
deleted file mode 100644
--- a/old
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/one two b/three four
similarity index 100%
rename from one two
rename to three four
diff --git a/x b/y
copy from x
copy to y
diff --git a/dot.png b/dot.png
Binary files a/dot.png and b/dot.png differ
diff --git a/pic b/pic
GIT binary patch
literal 3
Kc\${NkU|;|M00aO5

literal 0
Hc$@<O00001

diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`);
    expect(files).toMatchObject([
      { path: "new", change: "create", hunks: [{ lines: [{ sign: "+", text: "x", noNewline: true }] }] },
      { path: "old", change: "delete", deletions: 1 },
      { path: "three four", from: "one two", change: "rename", hunks: [] },
      { path: "y", from: "x", change: "copy" },
      { path: "dot.png", isBinary: true },
      { path: "pic", isBinary: true, hunks: [] },
      { path: "run.sh", mode: "100644 → 100755" },
    ]);
    expect(changedLines(files)).toBe(2);
  });

  it("reads names with spaces, quotes and characters outside ASCII as Git writes them", () => {
    const named = (head: string) => parseDiff(`${head}\n@@ -1 +1 @@\n-a\n+b\n`)[0]?.path;
    expect(named('diff --git "a/gr\\303\\274n \\"x\\"\\n.js" "b/gr\\303\\274n \\"x\\"\\n.js"')).toBe('grün "x"\n.js');
    expect(named("--- a/my file.txt\t2026-01-01\n+++ b/my file.txt\t2026-01-01")).toBe("my file.txt");
    expect(named("diff --git a/my file b/my file")).toBe("my file");
    expect(named("--- src/plain.ts\n+++ src/plain.ts")).toBe("src/plain.ts");
  });

  it("takes lines that look like heads for what they are inside a hunk", () => {
    const [file, ...more] = parseDiff(
      "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b comment\n @@ -1 +1 @@\n",
    );
    expect(more).toEqual([]);
    expect(file?.hunks[0]?.lines.map(({ sign, text }) => sign + text)).toEqual([
      "--- a comment",
      "+++ b comment",
      " @@ -1 +1 @@",
    ]);
  });

  it("leaves carriage returns out where all lines have them, and keeps them where only some do", () => {
    const crlf = parseDiff(
      "--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n".replace("x\r\n+++ b/x\r", "x\n+++ b/x"),
    );
    expect(crlf[0]).toMatchObject({ isCrlf: true, path: "x" });
    expect(crlf[0]?.hunks[0]?.lines.map(({ text }) => text)).toEqual(["a", "b", "c"]);
    const mixed = parseDiff("@@ -1 +1 @@\n-a\r\n+a\n");
    expect(mixed[0]).toMatchObject({ isCrlf: false, hunks: [{ lines: [{ text: "a\r" }, { text: "a" }] }] });
  });

  it("reads a diff that was cut up to its end and says so", () => {
    const [file] = parseDiff(edit.split("\n").slice(0, 6).join("\n"));
    expect(file).toMatchObject({ isCut: true, additions: 0, deletions: 0 });
    expect(file?.hunks[0]?.lines).toHaveLength(1);
  });

  it("reads signed lines that have no head", () => {
    expect(parseDiff("-old\n+new\n same\n")).toMatchObject([
      { path: "", hunks: [{ range: "", lines: [{ sign: "-" }, { sign: "+" }, { sign: " " }] }] },
    ]);
  });

  it("never throws, and finds nothing in what is no diff", () => {
    expect(parseDiff("")).toEqual([]);
    expect(parseDiff("hello\nworld")).toEqual([]);
    const alphabet = [
      "@@ -1,3 +1 @@",
      "@@ -9",
      "--- a",
      "+++ b",
      "diff --git ",
      "diff --git a b",
      "+x",
      "-",
      " ",
      "\\ No",
      '"',
      "rename from",
      "\0\u202e",
      "@@ -999999999999 +1 @@",
    ];
    let seed = 7;
    for (let round = 0; round < 2_000; round++) {
      const lines = Array.from({ length: 12 }, () => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return alphabet[seed % alphabet.length];
      });
      const files = parseDiff(lines.join("\n"));
      for (const { additions, deletions, hunks } of files) {
        const signs = hunks.flatMap((hunk) => hunk.lines.map(({ sign }) => sign));
        expect([additions, deletions]).toEqual(["+", "-"].map((sign) => signs.filter((own) => own === sign).length));
      }
    }
  });

  it("reads 200,000 lines", () => {
    const body = Array.from({ length: 100_000 }, (_, at) => `-old ${at}\n+new ${at}\n`).join("");
    expect(changedLines(parseDiff(`--- a/x\n+++ b/x\n@@ -1,100000 +1,100000 @@\n${body}`))).toBe(200_000);
  });
});
