import { execFileSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openToolbox } from "../../../testing/loop/toolbox.ts";
import { diffOf } from "../../runtime/artifacts/diff-text.ts";
import { replaceText } from "./kit/replace-text.ts";
import { applyChunks } from "./patch/apply-chunks.ts";
import { readPatch } from "./patch/read-patch.ts";

const files = {
  "a.txt": "one\ntwo\nthree\n",
  "src/b.ts": "class B {\n  x() {\n    1;\n  }\n  y() {\n    1;\n  }\n}\n",
};

describe("apply_patch with a unified diff", () => {
  it("changes, adds, deletes, renames and sets the mode, all in one call", async () => {
    const box = await openToolbox({
      files: { ...files, "old name.txt": "x\n", "gone.txt": "bye\n", "run.sh": "ls\n" },
    });
    const patch = [
      "Here is the patch:",
      "diff --git a/a.txt b/a.txt",
      "index 1..2 100644",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,3 +1,3 @@ some text",
      " one",
      "-two",
      "+2",
      " three",
      "--- /dev/null",
      "+++ b/new/file.txt\t2020-01-01",
      "@@ -0,0 +1 @@",
      "+hello",
      "\\ No newline at end of file",
      "diff --git a/gone.txt b/gone.txt",
      "deleted file mode 100644",
      "--- a/gone.txt",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-bye",
      "diff --git a/old name.txt b/new name.txt",
      "similarity index 100%",
      "rename from old name.txt",
      "rename to new name.txt",
      "diff --git a/run.sh b/run.sh",
      "old mode 100644",
      "new mode 100755",
    ].join("\n");
    const { result } = await box.call("apply_patch", { patch });
    expect(result.error).toBeUndefined();
    expect(box.tree()).toEqual({
      "a.txt": "one\n2\nthree\n",
      "new name.txt": "x\n",
      "new/file.txt": "hello",
      "run.sh": "ls\n",
      "src/b.ts": files["src/b.ts"],
    });
    expect(statSync(path.join(box.root, "run.sh")).mode & 0o111).not.toBe(0);
    expect(result.files?.map(({ op, path: file }) => [op, file])).toEqual([
      ["patch", "a.txt"],
      ["create", "new/file.txt"],
      ["delete", "gone.txt"],
      ["create", "new name.txt"],
      ["delete", "old name.txt"],
      ["patch", "run.sh"],
    ]);
    expect(box.actions("apply_patch", { patch })[0]).toMatchObject({
      paths: ["a.txt", "new/file.txt", "gone.txt", "old name.txt", "new name.txt", "run.sh"].map(
        (name) => `${box.root}/${name}`,
      ),
    });
  });

  it("applies a hunk with a wrong line number if its lines occur once, and says where", async () => {
    const box = await openToolbox({ files });
    const output = await box.output("apply_patch", {
      patch: "--- a.txt\n+++ a.txt\n@@ -9,2 +9,2 @@\n two\n-three\n+3\n",
    });
    expect(output).toContain("hunk 1 was applied at line 2, not at line 9");
    expect(box.read("a.txt")).toBe("one\ntwo\n3\n");
  });

  it.each([
    ["other lines than the file", "@@ -1,2 +1,2 @@\n one\n-TWO\n+2\n", 'line 2 must be "TWO\\n", but is "two\\n"'],
    ["a wrong count", "@@ -1,3 +1,2 @@\n one\n-two\n+2\n", "Hunk 1 has other numbers of lines"],
    ["more lines than counted", "@@ -1 +1 @@\n-one\n+1\n two\n", "Hunk 1 has other numbers of lines"],
    ["a bad header", "@@ one @@\n-one\n+1\n", "no valid hunk header"],
    ["no hunks", "", "no hunks for a.txt"],
    ["a line after the end", "@@ -9,0 +9 @@\n+x\n", "no line 9 to insert after"],
  ])("refuses %s and changes nothing", async (_, hunks, why) => {
    const box = await openToolbox({ files });
    const before = box.tree();
    expect(await box.error("apply_patch", { patch: `--- a/a.txt\n+++ b/a.txt\n${hunks}` })).toContain(why);
    expect(box.tree()).toEqual(before);
  });

  it.each([
    ["nothing", "hello", "The patch changes nothing"],
    ["an existing file as new", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", "a.txt exists already"],
    ["a missing file", "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n", "There is no file none"],
    ["two names", "--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+1\n", "Both sides must name the same file"],
    ["a file twice", `${"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n".repeat(2)}`, "names a.txt twice"],
    ["a deletion of a part", "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "more lines than the patch deletes"],
    ["a binary patch", "diff --git a/x b/x\nGIT binary patch\nliteral 1\n", "Binary patches are not supported"],
  ])("refuses %s", async (_, patch, why) => {
    const box = await openToolbox({ files });
    const before = box.tree();
    expect(await box.error("apply_patch", { patch })).toContain(why);
    expect(box.tree()).toEqual(before);
  });

  it("keeps CRLF line ends where the patch has none", async () => {
    const box = await openToolbox({ files: { "w.txt": "one\r\ntwo\r\n" } });
    await box.output("apply_patch", { patch: "--- a/w.txt\n+++ b/w.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" });
    expect(box.read("w.txt")).toBe("one\r\n2\r\n");
  });
});

describe("apply_patch with a patch in blocks", () => {
  const blocks = (...lines: string[]) => ({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

  it("updates, moves, adds and deletes files", async () => {
    const box = await openToolbox({ files: { ...files, "gone.txt": "x" } });
    const input = blocks(
      "*** Update File: src/b.ts",
      "*** Move to: src/c.ts",
      "@@ class B {",
      "@@   y() {",
      "-    1;",
      "+    2;",
      "*** Add File: new.txt",
      "+first",
      "+second",
      "*** Delete File: gone.txt",
    );
    await box.output("apply_patch", input);
    expect(box.tree()).toEqual({
      "a.txt": files["a.txt"],
      "new.txt": "first\nsecond\n",
      "src/c.ts": "class B {\n  x() {\n    1;\n  }\n  y() {\n    2;\n  }\n}\n",
    });
    expect(box.actions("apply_patch", input)).toMatchObject([
      { subject: "read" },
      { subject: "write", paths: ["src/b.ts", "src/c.ts", "new.txt", "gone.txt"].map((name) => `${box.root}/${name}`) },
    ]);
  });

  it("keeps a missing line break at the end, and CRLF", async () => {
    const box = await openToolbox({ files: { "a.txt": "one\r\ntwo", "b.txt": "one\r\ntwo\r\n" } });
    await box.output(
      "apply_patch",
      blocks(
        "*** Update File: a.txt",
        " one",
        "-two",
        "+2",
        "+3",
        "*** Update File: b.txt",
        " two",
        "+3",
        "*** End of File",
      ),
    );
    expect(box.tree()).toEqual({ "a.txt": "one\r\n2\r\n3", "b.txt": "one\r\ntwo\r\n3\r\n" });
  });

  it.each([
    ["an ambiguous place", ["*** Update File: src/b.ts", "-    1;", "+    2;"], "occur at 2 places"],
    ["lines that are not there", ["*** Update File: a.txt", "-zwei", "+2"], 'no line "zwei"'],
    ["lines that do not follow each other", ["*** Update File: a.txt", " one", "-three"], "not one after the other"],
    ["an unknown anchor", ["*** Update File: a.txt", "@@ none", "-two"], "no line `none`"],
    ["a line without a sign", ["*** Update File: a.txt", "two"], "begins with neither"],
    ["an added line without a sign", ["*** Add File: n.txt", "two"], "begins with `+`"],
    ["lines after a deletion", ["*** Delete File: a.txt", "-one"], "nothing may follow"],
    ["an existing file", ["*** Add File: a.txt", "+one"], "exists already"],
    ["a target that exists", ["*** Update File: a.txt", "*** Move to: src/b.ts"], "exists already"],
    ["a change of nothing", ["*** Update File: a.txt", " one"], "changes nothing in a.txt"],
    ["a line before all files", ["+one"], "belongs to no file"],
  ])("refuses %s and changes nothing", async (_, lines, why) => {
    const box = await openToolbox({ files });
    const before = box.tree();
    expect(await box.error("apply_patch", blocks(...lines))).toContain(why);
    expect(box.tree()).toEqual(before);
  });

  it("refuses a patch without its end, because it may be cut off", async () => {
    const box = await openToolbox({ files });
    expect(await box.error("apply_patch", { patch: "*** Begin Patch\n*** Delete File: a.txt\n" })).toContain("cut off");
    expect(box.tree()).toHaveProperty(["a.txt"]);
  });
});

/** Texts of few different lines, so that places are often ambiguous. */
const text = fc
  .array(fc.constantFrom("a", "b", "", "\tc ", "é", "--- x", "+++ y", "@@ -1 +1 @@"), { maxLength: 14 })
  .chain((lines) => fc.boolean().map((isEnded) => lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : "")));

describe("patches and edits, compared with an oracle", () => {
  it("a diff between any two texts makes the second of the first, as `git apply` does", {
    timeout: 120_000,
  }, async () => {
    const box = await openToolbox();
    const git = path.join(box.outside, "git");
    mkdirSync(git);
    execFileSync("git", ["init", "-q", git]);
    fc.assert(
      fc.property(text, text, fc.boolean(), (before, after, byGit) => {
        fc.pre(before !== after);
        const [a, b] = [Buffer.from(before), Buffer.from(after)];
        const diff = diffOf({ path: "f.txt", before: a, after: b }).toString();
        const [patch] = readPatch(diff);
        if (!patch) throw new Error("no patch");
        const { bytes, notes } = applyChunks(patch, a);
        expect([bytes.toString(), notes]).toEqual([after, []]);
        if (!byGit) return;
        writeFileSync(path.join(git, "f.txt"), before);
        execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: git, input: diff });
        expect(execFileSync("cat", ["f.txt"], { cwd: git, encoding: "utf8" })).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it("a diff applied to another text either fails or changes what `git apply` would change", {
    timeout: 120_000,
  }, async () => {
    const box = await openToolbox();
    execFileSync("git", ["init", "-q", box.outside]);
    let compared = 0;
    fc.assert(
      fc.property(text, text, text, (before, after, other) => {
        fc.pre(before !== after);
        const diff = diffOf({ path: "f.txt", before: Buffer.from(before), after: Buffer.from(after) }).toString();
        const ours = attempt(() => applyChunks(readPatch(diff)[0] as never, Buffer.from(other)).bytes.toString());
        if (ours === undefined) return;
        writeFileSync(path.join(box.outside, "f.txt"), other);
        const theirs = attempt(() => {
          execFileSync("git", ["apply", "-"], { cwd: box.outside, input: diff, stdio: ["pipe", "ignore", "ignore"] });
          return execFileSync("cat", ["f.txt"], { cwd: box.outside, encoding: "utf8" });
        });
        // Git also refuses hunks without context that do not touch an end of the file.
        if (theirs === undefined) return;
        compared += 1;
        expect(ours).toBe(theirs);
      }),
      { numRuns: 400 },
    );
    expect(compared).toBeGreaterThan(0);
  });

  it("an edit is what replacing the text in a string is", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "\n", "é"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "b", "\n", "é"), maxLength: 30 }),
        word,
        word,
        fc.boolean(),
        (whole, old_string, new_string, replace_all) => {
          fc.pre(old_string !== new_string);
          const result = attempt(() =>
            replaceText("f", Buffer.from(whole), { old_string, new_string, replace_all }).toString(),
          );
          const count = [...whole].filter((_, at) => whole.startsWith(old_string, at)).length;
          const isPossible = replace_all ? count > 0 : count === 1;
          const expected = replace_all
            ? whole.split(old_string).join(new_string)
            : whole.replace(old_string, () => new_string);
          expect(result).toBe(isPossible ? expected : undefined);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("several edits of several files are what they are in a model, and none is made if one fails", async () => {
    const box = await openToolbox();
    const name = fc.constantFrom("a.txt", "b.txt", "c.txt");
    const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 });
    const edit = fc.record({ path: name, old_string: word, new_string: word, replace_all: fc.boolean() });
    const content = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ "a.txt": content, "b.txt": content }),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        async (start, edits) => {
          for (const [file, bytes] of Object.entries(start)) box.write(file, bytes);
          const model: Record<string, string> = { ...start };
          let isPossible = true;
          for (const { path: file, old_string, new_string, replace_all } of edits) {
            const whole = model[file] ?? "";
            const count = [...whole].filter((_, at) => whole.startsWith(old_string, at)).length;
            isPossible &&= file in start && old_string !== new_string && (replace_all ? count > 0 : count === 1);
            model[file] = replace_all
              ? whole.split(old_string).join(new_string)
              : whole.replace(old_string, () => new_string);
          }
          const { result } = await box.call("multi_edit", { edits });
          expect(result.error === undefined).toBe(isPossible);
          expect(box.tree()).toEqual(isPossible ? { "a.txt": model["a.txt"], "b.txt": model["b.txt"] } : start);
        },
      ),
      { numRuns: 150 },
    );
  });
});

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
