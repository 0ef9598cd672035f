import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { generatedCommand } from "../../../../testing/policy/generated-command.ts";
import { findBash } from "../../../../testing/policy/run-in-bash.ts";
import { meets } from "../glob.ts";
import { loadShellParser } from "./parser.ts";
import type { ShellPart } from "./parts.ts";
import { readShell } from "./read-shell.ts";
import type { ShellWord } from "./word.ts";

const folder = mkdtempSync(path.join(tmpdir(), "spoor-differential-"));
afterAll(() => rmSync(folder, { recursive: true }));
const bash = findBash(folder);
const home = path.join(folder, "home");
const parse = await loadShellParser();
const runs = Number(process.env.SPOOR_DIFFERENTIAL_RUNS ?? 200);

describe.skipIf(bash === undefined)("a shell text as it is judged, beside bash itself", () => {
  it("every command that bash starts is among the judged parts, or the text is opaque", { timeout: 600_000 }, () => {
    let judged = 0;
    fc.assert(
      fc.property(generatedCommand, (text) => {
        const parts = readShell(text, { parse, home, cwd: home });
        if (parts.some(({ kind }) => kind === "opaque")) return;
        const started = bash?.run(text) ?? [];
        judged += started.length > 0 ? 1 : 0;
        for (const words of started) {
          if (!parts.some((part) => isOf(part, words)))
            throw new Error(`bash starts ${JSON.stringify(words)}, which is none of ${show(parts)}`);
        }
      }),
      { numRuns: runs },
    );
    expect(judged).toBeGreaterThan(runs / 20);
  });
});

/** Whether a part stands for these words: each unknown place can be any text, and some words can be several. */
function isOf(part: ShellPart, started: readonly string[]): boolean {
  if (part.kind !== "command") return false;
  const from = (words: readonly ShellWord[], texts: readonly string[]): boolean => {
    const [word, ...rest] = words;
    const [text, ...others] = texts;
    if (word === undefined) return text === undefined;
    if (word.many && (from(rest, texts) || (text !== undefined && from(words, others)))) return true;
    return text !== undefined && (word.many || meets(word.glob, [...text])) && from(rest, others);
  };
  return from(part.words, started);
}

const show = (parts: readonly ShellPart[]): string =>
  JSON.stringify(
    parts.map((part) => (part.kind === "command" ? part.words.map(({ literal }) => literal ?? "…") : part.kind)),
  );
