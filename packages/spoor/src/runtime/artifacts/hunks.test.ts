import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { diffOf } from "./diff-text.ts";
import { countLines, HunkMismatch, hunksBetween, replaceHunks } from "./hunks.ts";

/** Contents with few different lines, so that many of them are equal, and with every kind of line end. */
const line = fc.constantFrom("a", "b", "c", "", "\uFEFFx", "é", "{", "}");
const end = fc.constantFrom("\n", "\r\n", "\r", "");
const text = fc.array(fc.tuple(line, end), { maxLength: 40 }).map((parts) => Buffer.from(parts.flat().join("")));
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
const edited = text.chain((before) =>
  fc
    .array(fc.record({ at: fc.nat(60), remove: fc.nat(3), add: fc.array(line, { maxLength: 3 }) }), { maxLength: 6 })
    .map((edits) => {
      const lines = before.toString("latin1").split(/(?<=\n)/);
      for (const { at, remove, add } of edits) lines.splice(at, remove, ...add.map((one) => `${one}\n`));
      return { before, after: Buffer.from(lines.join(""), "latin1") };
    }),
);
const pair = fc.oneof(
  edited,
  fc.record({ before: text, after: text }),
  fc.record({ before: bytes, after: bytes }),
  fc.record({ before: bytes, after: text }),
);
const none: ReadonlySet<number> = new Set();
const all = (count: number): ReadonlySet<number> => new Set(Array.from({ length: count }, (_, index) => index));

describe("the hunks between two contents", () => {
  it("give the new content when all are applied, and the old one when all are reverted", () => {
    fc.assert(
      fc.property(pair, ({ before, after }) => {
        const hunks = hunksBetween(before, after);
        const chosen = all(hunks.length);
        expect(replaceHunks(before, hunks, { chosen, applied: none, forward: true })).toEqual(after);
        expect(replaceHunks(after, hunks, { chosen, applied: chosen, forward: false })).toEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });

  it("can be applied and reverted in any part and order", () => {
    fc.assert(
      fc.property(pair, fc.infiniteStream(fc.boolean()), ({ before, after }, choices) => {
        const hunks = hunksBetween(before, after);
        const some = new Set([...hunks.keys()].filter(() => choices.next().value));
        const partly = replaceHunks(before, hunks, { chosen: some, applied: none, forward: true });
        expect(replaceHunks(partly, hunks, { chosen: some, applied: some, forward: false })).toEqual(before);
        const rest = new Set([...hunks.keys()].filter((index) => !some.has(index)));
        expect(replaceHunks(partly, hunks, { chosen: rest, applied: some, forward: true })).toEqual(after);
        const lessThanAll = replaceHunks(after, hunks, { chosen: rest, applied: all(hunks.length), forward: false });
        expect(lessThanAll).toEqual(partly);
      }),
      { numRuns: 2_000 },
    );
  });

  it("do not fit where one of their lines was changed", () => {
    const before = Buffer.from("one\ntwo\nthree\nfour\n");
    const hunks = hunksBetween(before, Buffer.from("one\n2\nthree\nfour\n"));
    const changed = Buffer.from("one\ntwo\nthree\r\nfour\n");
    const apply = () => replaceHunks(changed, hunks, { chosen: all(1), applied: none, forward: true });
    expect(apply).toThrow(HunkMismatch);
    // The same lines further down do not count: there is no fuzz.
    const moved = Buffer.concat([Buffer.from("zero\n"), before]);
    expect(() => replaceHunks(moved, hunks, { chosen: all(1), applied: none, forward: true })).toThrow(HunkMismatch);
    const longer = Buffer.concat([before, Buffer.from("five\n")]);
    expect(() => replaceHunks(longer, hunks, { chosen: all(1), applied: none, forward: true })).toThrow(HunkMismatch);
  });

  it("are separate when more than six equal lines are between them", () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);
    const after = lines.with(2, "two\n").with(9, "nine\n").with(30, "thirty\n");
    const hunks = hunksBetween(Buffer.from(lines.join("")), Buffer.from(after.join("")));
    expect(hunks).toHaveLength(2);
    expect(countLines(hunks)).toEqual({ additions: 3, deletions: 3 });
  });

  it("are one hunk when the comparison would take too long", () => {
    const make = (word: string) => Buffer.from(Array.from({ length: 9_000 }, (_, at) => `${word} ${at}\n`).join(""));
    expect(hunksBetween(make("old"), make("new"))).toHaveLength(1);
  });
});

describe("the diff of a change", () => {
  it("is taken by git apply, in both directions, whatever the bytes are", { timeout: 60_000 }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-diff-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "a file");
    const git = (argv: string[], input?: Buffer) =>
      execFileSync("git", argv, { cwd: folder, input, env: { PATH: process.env.PATH, HOME: folder }, stdio: "pipe" });
    fc.assert(
      fc.property(pair, ({ before, after }) => {
        fc.pre(!before.equals(after));
        const diff = diffOf({ path: "a file", before, after });
        writeFileSync(file, before);
        git(["apply", "--whitespace=nowarn"], diff);
        expect(readFileSync(file)).toEqual(after);
        git(["apply", "-R", "--whitespace=nowarn"], diff);
        expect(readFileSync(file)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["a new file", undefined, Buffer.from("x\n")],
    ["a new empty file", undefined, Buffer.alloc(0)],
    ["a deleted file", Buffer.from("no newline"), undefined],
    ["a deleted empty file", Buffer.alloc(0), undefined],
    ["a new binary file", undefined, Buffer.from([0, 1, 2, 255])],
    ["a changed mode", Buffer.from("x\n"), Buffer.from("x\n")],
    ["a changed mode and content", Buffer.from("x\n"), Buffer.from("y\n")],
  ])("is taken by git apply for %s, also with a special name", (_, before, after) => {
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-diff-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const name = 'sné "k\t\\\n x';
    const file = path.join(folder, name);
    if (before) writeFileSync(file, before);
    const diff = diffOf({ path: name, before, after, beforeMode: 0o100644, afterMode: 0o100755 });
    execFileSync("git", ["apply"], { cwd: folder, input: diff, env: { PATH: process.env.PATH, HOME: folder } });
    if (after) {
      expect(readFileSync(file)).toEqual(after);
      expect(statSync(file).mode & 0o111).not.toBe(0);
    } else expect(() => statSync(file)).toThrow();
  });
});
