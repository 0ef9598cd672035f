import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openToolbox } from "../../../testing/loop/toolbox.ts";

/** A workspace with links that lead out of it, and a file outside that holds a secret. */
async function trapped() {
  const box = await openToolbox({ files: { "a.txt": "inside\n", "dir/b.txt": "inside\n" } });
  const secret = path.join(box.outside, "secret.txt");
  writeFileSync(secret, "TOP-SECRET\n");
  mkdirSync(`${box.root}-evil`);
  writeFileSync(`${box.root}-evil/x.txt`, "TOP-SECRET\n");
  symlinkSync(secret, path.join(box.root, "link.txt"));
  symlinkSync(box.outside, path.join(box.root, "linked"));
  symlinkSync("/proc/self/root", path.join(box.root, "proc"));
  return { ...box, secret };
}

/** Ways to name a file outside the workspace. */
const outside = [
  ["a symbolic link", "link.txt"],
  ["a linked folder", "linked/secret.txt"],
  ["the parent folder", "../outside/secret.txt"],
  ["a folder and back", "dir/../../outside/secret.txt"],
  ["an absolute path", "{outside}/secret.txt"],
  ["a folder with the same beginning", "{root}-evil/x.txt"],
  ["the root of a process", "/proc/self/root{outside}/secret.txt"],
  ["the working folder of a process", "/proc/self/cwd/../outside/secret.txt"],
  ["a linked root of a process", "proc{outside}/secret.txt"],
  ["an open file of a process", "/dev/fd/0"],
  ["a backslash", "..\\outside\\secret.txt"],
  ["a NUL", "a.txt\0/../../outside/secret.txt"],
] as const;

/** Names that git or another system takes for something else. */
const disguised = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".GIT/config",
  ".git./config",
  ".git /config",
  "git~1/config",
  ".g\u200cit/config",
  "sub/.git/config",
  "a.txt:stream",
  "CON",
  "x\rx",
  "x\nx",
] as const;

describe("the file tools", () => {
  it.each(outside)("do not leave the workspace through %s (D1)", async (_, written) => {
    const { root, outside: out, secret, ...box } = await trapped();
    const name = written.replace("{outside}", out).replace("{root}", root);
    const attempts: [string, Record<string, unknown>][] = [
      ["read_file", { path: name }],
      ["list_dir", { path: path.posix.dirname(name) }],
      ["file_write", { path: name, content: "changed" }],
      ["file_edit", { path: name, old_string: "TOP", new_string: "changed" }],
      ["multi_edit", { edits: [{ path: name, old_string: "TOP", new_string: "changed" }] }],
      ["apply_patch", { patch: `*** Begin Patch\n*** Delete File: ${name}\n*** End Patch` }],
      [
        "apply_patch",
        { patch: `*** Begin Patch\n*** Update File: a.txt\n*** Move to: ${name}\n-inside\n+x\n*** End Patch` },
      ],
      [
        "apply_patch",
        {
          patch: `--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-inside\n+x\n--- ${name}\n+++ ${name}\n@@ -1 +1 @@\n-TOP-SECRET\n+x\n`,
        },
      ],
    ];
    for (const [tool, input] of attempts) {
      const { result } = await box.call(tool, input);
      // A folder of the workspace itself may be listed.
      if (tool !== "list_dir") expect(result.error, tool).toBeDefined();
      expect(`${result.output} ${result.error}`).not.toContain("TOP-SECRET");
    }
    expect(readFileSync(secret, "utf8")).toBe("TOP-SECRET\n");
    expect(readFileSync(`${root}-evil/x.txt`, "utf8")).toBe("TOP-SECRET\n");
    expect(box.tree(root)).toMatchObject({ "a.txt": "inside\n", "dir/b.txt": "inside\n" });
    expect(Object.keys(box.tree(root))).toHaveLength(2);
  });

  it("give the policy the path that a name stands for, also if it leads out of the workspace (D1)", async () => {
    const box = await openToolbox({ rules: "allow write **" });
    for (const name of ["../outside/x", "{outside}/x".replace("{outside}", box.outside)]) {
      const actions = box.actions("file_write", { path: name, content: "" });
      expect(actions).toMatchObject([{ subject: "write", paths: [path.join(box.outside, "x")] }]);
      expect(actions.map((action) => box.policy.decide(action).decision)).toEqual(["ask"]);
    }
  });

  it.each([
    "secrets/key",
    "secrets\\key",
    "./secrets//key",
    "x/../secrets/key",
    "{root}/secrets/key",
    "{root}\\secrets\\key",
    "x\\..\\secrets/key",
  ])("let the policy judge the path that they would open: %j (D1)", async (written) => {
    const box = await openToolbox({
      files: { "secrets/key": "TOP-SECRET\n" },
      rules: "block read secrets/**\nblock write secrets/**\nallow write **",
    });
    const name = written.replace("{root}", box.root);
    const inputs: [string, Record<string, unknown>][] = [
      ["read_file", { path: name }],
      ["list_dir", { path: name.slice(0, -4) }],
      ["grep", { path: name, pattern: "TOP" }],
      ["file_write", { path: name, content: "" }],
      ["file_edit", { path: name, old_string: "TOP", new_string: "" }],
      ["multi_edit", { edits: [{ path: name, old_string: "TOP", new_string: "" }] }],
      ["apply_patch", { patch: `*** Begin Patch\n*** Delete File: ${name}\n*** End Patch` }],
      ["apply_patch", { patch: `--- ${name}\n+++ ${name}\n@@ -1 +1 @@\n-TOP-SECRET\n+x\n` }],
    ];
    for (const [tool, input] of inputs) {
      const decisions = box.actions(tool, input).map((action) => box.policy.decide(action).decision);
      expect(decisions, tool).toContain("block");
    }
  });

  it("break a hard link instead of writing through it, and do not read Spoor's data through one (D1)", async () => {
    const box = await trapped();
    linkSync(box.secret, path.join(box.root, "hard.txt"));
    await box.output("file_edit", { path: "hard.txt", old_string: "TOP", new_string: "changed" });
    expect(readFileSync(box.secret, "utf8")).toBe("TOP-SECRET\n");
    writeFileSync(path.join(box.directory, "token"), "TOP-SECRET");
    linkSync(path.join(box.directory, "token"), path.join(box.root, "t.txt"));
    expect(await box.error("read_file", { path: "t.txt" })).toContain("hard link to a file of Spoor's data");
  });

  it("never read or write outside while a folder is swapped for a link again and again (D1)", {
    timeout: 120_000,
  }, async () => {
    const box = await trapped();
    const [dir, real, link] = ["dir", "dir.real", "dir.link"].map((name) => path.join(box.root, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(path.join(box.outside, "b.txt"), "TOP-SECRET\n");
    symlinkSync(box.outside, link);
    let isOver = false;
    const place = (from: string, to: string) => {
      for (let tries = 0; tries < 100; tries += 1) {
        try {
          renameSync(from, to);
          return;
        } catch {
          // A write may have made the folder anew in the moment in which there was none.
          rmSync(to, { recursive: true, force: true });
        }
      }
    };
    const swapping = (async () => {
      while (!isOver) {
        place(dir, real);
        place(link, dir);
        await new Promise(setImmediate);
        place(dir, link);
        place(real, dir);
        await new Promise(setImmediate);
      }
    })();
    const outcomes = { done: 0, refused: 0 };
    for (let round = 0; round < 400; round += 1) {
      const read = await box.call("read_file", { path: "dir/b.txt" });
      const write = await box.call("file_write", { path: "dir/b.txt", content: `inside ${round}\n` });
      for (const { result } of [read, write]) {
        outcomes[result.error === undefined ? "done" : "refused"] += 1;
        expect(result.output).not.toContain("TOP-SECRET");
      }
    }
    isOver = true;
    await swapping;
    expect(readFileSync(path.join(box.outside, "b.txt"), "utf8")).toBe("TOP-SECRET\n");
    expect(Object.keys(box.tree(box.outside)).sort()).toEqual(["b.txt", "secret.txt"]);
    expect(outcomes.done).toBeGreaterThan(0);
    rmSync(link, { recursive: true, force: true });
  });
});

describe("patches and edits", () => {
  it.each(disguised)("do not touch %j (D2)", async (name) => {
    const box = await openToolbox({ files: { "a.txt": "one\n" } });
    mkdirSync(path.join(box.root, ".git/hooks"), { recursive: true });
    writeFileSync(path.join(box.root, ".git/config"), "[core]\n");
    const before = box.tree();
    const quoted = `"b/${name.replaceAll("\r", "\\r").replaceAll("\n", "\\n").replaceAll("\u200c", "\\342\\200\\214")}"`;
    const attempts: [string, Record<string, unknown>][] = [
      ["file_write", { path: name, content: "x" }],
      [
        "apply_patch",
        { patch: `--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- /dev/null\n+++ ${quoted}\n@@ -0,0 +1 @@\n+x\n` },
      ],
      [
        "apply_patch",
        { patch: `diff --git a/a.txt ${quoted}\nrename from a.txt\nrename to ${quoted.replace("b/", "")}\n` },
      ],
    ];
    for (const [tool, input] of attempts) expect(await box.error(tool, input)).toBeTruthy();
    expect(box.tree()).toEqual(before);
  });

  it.each([
    ["a link", "new file mode 120000"],
    ["a submodule", "new file mode 160000"],
    ["a setuid program", "new file mode 104755"],
  ])("make no %s, and write nothing else either (D2)", async (_, line) => {
    const box = await openToolbox({ files: { "a.txt": "one\n" } });
    const before = box.tree();
    const patch = `--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\ndiff --git a/l b/l\n${line}\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n`;
    expect(await box.error("apply_patch", { patch })).toContain("l is refused");
    expect(box.tree()).toEqual(before);
  });

  it.each([
    ["/dev/null on both sides", "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n"],
    ["an absolute target", "--- /dev/null\n+++ /tmp/spoor-d2-target\n@@ -0,0 +1 @@\n+x\n"],
    ["a target above the workspace", "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"],
    ["a rename out of the workspace", "diff --git a/a.txt b/a.txt\nrename from a.txt\nrename to ../a.txt\n"],
    [
      "a file below a file of the same patch",
      "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/n/m\n@@ -0,0 +1 @@\n+x\n",
    ],
  ])("refuse %s without a write (D2)", async (_, patch) => {
    const box = await openToolbox({ files: { "a.txt": "one\n" } });
    expect(await box.error("apply_patch", { patch })).toBeTruthy();
    expect([box.tree(), box.tree(box.outside)]).toEqual([{ "a.txt": "one\n" }, {}]);
  });
});
