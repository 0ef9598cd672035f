import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openToolbox } from "../../../testing/loop/toolbox.ts";
import { createGlob } from "./glob.ts";
import { createGrep } from "./grep.ts";
import { namePattern } from "./search/name-pattern.ts";
import type { ToolResult } from "./tool.ts";

const tree = {
  "a.ts": "export const one = 1;\n",
  "src/b.ts": "// TODO one\r\nexport const two = 2;\r\n",
  "src/deep/er/c.tsx": "one\n",
  "src/.hidden/d.ts": "one\n",
  "node_modules/x/index.ts": "one\n",
  "dist/out.ts": "one\n",
  "dist/keep.ts": "one\n",
  ".gitignore": "node_modules\n/dist/*\n!/dist/keep.ts\n*.log\n",
  "src/.gitignore": "!important.log\n",
  "src/important.log": "one\n",
  "other.log": "one\n",
  "b.bin": Buffer.from("one\0"),
};

const globbed = ({ fields = {} }: ToolResult) =>
  fields["tool.glob.completed"] as { matches: string[]; match_count: number };

describe("glob", () => {
  it.each([
    ["*.ts", ["a.ts", "dist/keep.ts", "src/.hidden/d.ts", "src/b.ts"]],
    ["src/**/*.{ts,tsx}", ["src/.hidden/d.ts", "src/b.ts", "src/deep/er/c.tsx"]],
    ["src/*", ["src/.gitignore", "src/b.ts", "src/important.log"]],
    ["**/[a-b].??", ["a.ts", "src/b.ts"]],
    ["**", ["src/deep/er/c.tsx", "a.ts"]],
    ["./a.ts", ["a.ts"]],
    ["none", []],
  ])("finds what fits %s, without ignored files", async (pattern, expected) => {
    const box = await openToolbox({ files: tree });
    mkdirSync(path.join(box.root, ".git"));
    writeFileSync(path.join(box.root, ".git/x.ts"), "");
    symlinkSync("a.ts", path.join(box.root, "link.ts"));
    symlinkSync(box.outside, path.join(box.root, "linked"));
    const { result } = await box.call("glob", { pattern });
    const { matches, match_count } = globbed(result);
    if (pattern === "**") expect(matches).toEqual(expect.arrayContaining(expected));
    else expect(matches.toSorted()).toEqual(expected);
    expect(match_count).toBe(matches.length);
    expect(matches.filter((name) => /\.git\/|node_modules|linked|out\.ts|other\.log/.test(name))).toEqual([]);
  });

  it("searches in a folder, also in one that is ignored", async () => {
    const box = await openToolbox({ files: tree });
    expect(await box.output("glob", { pattern: "*.ts", path: "src" })).toBe("src/.hidden/d.ts\nsrc/b.ts");
    expect(await box.output("glob", { pattern: "*.ts", path: "node_modules/x" })).toBe("node_modules/x/index.ts");
    expect(await box.error("glob", { pattern: "*", path: "none" })).toContain("no file or folder");
    expect(await box.error("glob", { pattern: "*", path: "../outside" })).toContain("outside the workspace");
    expect(await box.error("glob", { pattern: "{a" })).toContain("{ without its }");
    expect(await box.error("glob", { pattern: "{a,b}".repeat(10) })).toContain("too many alternatives");
  });

  it("shows a part of very many paths and counts all", async () => {
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}.txt`, ""]));
    const box = await openToolbox({ files });
    const { result } = await box.call("glob", { pattern: "*.txt" });
    expect(result.output).toContain("[600 files; only the first 500 are shown.]");
    expect(result.fields).toMatchObject({ "tool.glob.completed": { match_count: 600, truncated: true } });
  });

  it("stops at its limit of entries and says so", async () => {
    const box = await openToolbox({ files: tree, tools: [createGlob({ limits: { entries: 3 } })] });
    const { result } = await box.call("glob", { pattern: "**" });
    expect(result.output).toContain("too many files");
    expect(result.fields).toMatchObject({ "tool.glob.completed": { truncated: true } });
  });

  it("does not hang on rules of a repository that take very long to match", async () => {
    const hostile = `${"*a".repeat(30)}*b\n`;
    const files = { ".gitignore": hostile, [`${"a".repeat(200)}`]: "", "0.txt": "" };
    const box = await openToolbox({ files, tools: [createGlob({ timeoutMs: 1_500 })] });
    const { result } = await box.call("glob", { pattern: "*" });
    expect(result.outcome === "timed_out" || result.output.includes("0.txt")).toBe(true);
  });

  it("matches names as a simple model does, and in bounded time", () => {
    const part = fc.constantFrom("a", "b", "*", "?", "ab*", "**");
    const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    const name = fc
      .array(fc.constantFrom("a", "b", "ab", "abc"), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join("/"));
    fc.assert(
      fc.property(pattern, name, (written, file) => {
        const whole = written.includes("/") || written === "**" ? written : `**/${written}`;
        const source = whole
          .split("/")
          .map((one) => (one === "**" ? "(?:[^/]+/)*" : `${one.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}/`))
          .join("");
        expect(namePattern(written)(file)).toBe(new RegExp(`^${source}$`).test(`${file}/`));
      }),
      { numRuns: 2_000 },
    );
    expect(namePattern(`${"*a".repeat(400)}b`)("a".repeat(4_000))).toBe(false);
  });
});

describe("grep", () => {
  it("finds lines and tells them as an event", async () => {
    const box = await openToolbox({ files: tree });
    const { result } = await box.call("grep", { pattern: "\\bone\\b", include: "*.ts" });
    expect(result.output.split("\n").toSorted()).toEqual([
      "a.ts:1: export const one = 1;",
      "dist/keep.ts:1: one",
      "src/.hidden/d.ts:1: one",
      "src/b.ts:1: // TODO one",
    ]);
    expect(result.fields).toMatchObject({
      "tool.grep.completed": { files_searched: 4, match_count: 4, truncated: false, matches: expect.anything() },
    });
  });

  it("takes plain text, either case, one file, and a folder", async () => {
    const box = await openToolbox({ files: { ...tree, "p.txt": "f(x)\nF(X)\n" } });
    expect(await box.output("grep", { pattern: "f(x)", literal: true })).toBe("p.txt:1: f(x)");
    expect(await box.output("grep", { pattern: "f(x)", literal: true, ignore_case: true })).toContain("p.txt:2: F(X)");
    expect(await box.output("grep", { pattern: "one", path: "src/b.ts" })).toBe("src/b.ts:1: // TODO one");
    expect(await box.output("grep", { pattern: "one", path: "src/deep" })).toBe("src/deep/er/c.tsx:1: one");
    expect(await box.output("grep", { pattern: "nowhere" })).toBe("No line fits nowhere.");
    expect(await box.error("grep", { pattern: "(" })).toContain("Set literal");
    expect(await box.error("grep", { pattern: "x", path: "none" })).toContain("no file or folder");
  });

  it("leaves out large and binary files, cuts long lines, and says what is missing", async () => {
    const files = {
      "b.bin": Buffer.from("one\0"),
      "l.txt": "one\n".repeat(600_000),
      "w.txt": `one${"x".repeat(5_000)}`,
    };
    const box = await openToolbox({ files });
    const output = await box.output("grep", { pattern: "one" });
    expect(output).toContain("[1 files of more than 2097152 bytes were not searched.]");
    expect(output).toContain("[cut: the line has 5003 characters]");
    expect(output).not.toContain("b.bin");
  });

  it("counts more lines than it shows, and stops counting at some point", async () => {
    const box = await openToolbox({
      files: { "a.txt": "x\n".repeat(300), "b.txt": "x\n".repeat(20_000), "c.txt": "x\n" },
    });
    const { result } = await box.call("grep", { pattern: "x", path: "a.txt" });
    expect(result.output).toContain("[300 lines in 1 files; only the first 200 are shown.]");
    const all = await box.call("grep", { pattern: "x" });
    expect(all.result.output).toContain("20300 or more lines in 2 files");
    expect(all.result.fields).toMatchObject({ "tool.grep.completed": { truncated: true } });
  });

  it("shows nothing of files that rules protect, not even that they have a match", async () => {
    const files = { ".env": "KEY=secret-value\n", "src/.env.local": "KEY=secret-value\n", "a.txt": "nothing\n" };
    const box = await openToolbox({ files, rules: "block read .env\nask read .env.*\n" });
    const hit = await box.call("grep", { pattern: "secret-v" });
    const miss = await box.call("grep", { pattern: "secret-w" });
    expect(hit.result.output.replaceAll("secret-v", "")).toBe(miss.result.output.replaceAll("secret-w", ""));
    expect(hit.result.fields).toEqual(miss.result.fields);
  });

  it("ends an expression that would take for ever, while others go on (H1)", { timeout: 60_000 }, async () => {
    const box = await openToolbox({
      files: { "a.txt": `${"a".repeat(60)}b\n` },
      tools: [createGrep({ timeoutMs: 1_500 })],
    });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    const { result } = await box.call("grep", { pattern: "^(a+)+$" });
    clearInterval(timer);
    expect([result.outcome, result.error]).toEqual(["timed_out", expect.stringContaining("simpler pattern")]);
    expect(ticks).toBeGreaterThan(3);
  });

  it("is cancelled with its call", async () => {
    const box = await openToolbox({ files: { "a.txt": `${"a".repeat(60)}b\n` } });
    const stop = new AbortController();
    const calling = box.call("grep", { pattern: "^(a+)+$" }, stop.signal);
    stop.abort();
    expect((await calling).result.outcome).toBe("cancelled");
  });

  it("finds the same files as git in a repository", async () => {
    const box = await openToolbox({ files: tree });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: box.root, encoding: "utf8" });
    git("init", "-q");
    const listed = git("ls-files", "-co", "--exclude-standard").trim().split("\n").sort();
    const { result } = await box.call("glob", { pattern: "**" });
    const { matches } = globbed(result);
    expect(matches.toSorted()).toEqual(listed);
  });
});
