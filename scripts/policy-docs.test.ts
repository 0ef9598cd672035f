import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hookProblems } from "../packages/spoor/src/options/config/hooks.ts";
import { parseRules } from "../packages/spoor/src/runtime/policy/rule.ts";
import { run } from "../packages/spoor/testing/cli/run.ts";

const page = readFileSync(new URL("../docs/policy.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const root = mkdtempSync(path.join(tmpdir(), "spoor-policy-docs-"));
afterAll(() => rmSync(root, { recursive: true }));

/** Each example belongs to the rules above it. */
const examples = blocks.flatMap(({ language, text }, index) =>
  language === "sh"
    ? [...text.matchAll(/^npx spoor policy check (.*?)\s+# (\w+)$/gm)].map(([, words = "", decision = ""]) => ({
        rules: blocks.slice(0, index).findLast((block) => block.language === "rules")?.text ?? "",
        words,
        decision,
      }))
    : [],
);

describe("docs/policy.md", () => {
  it("has rules without mistakes", () => {
    const rules = blocks.filter(({ language }) => language === "rules");
    expect(rules).toHaveLength(2);
    for (const { text } of rules) expect(parseRules(text, "user", "docs").problems).toEqual([]);
  });

  it("has examples for every decision", () => {
    expect(examples.length).toBeGreaterThan(12);
    expect(new Set(examples.map(({ decision }) => decision))).toEqual(new Set(["allow", "ask", "block"]));
  });

  it.each(examples)("$words is $decision", async ({ rules, words, decision }) => {
    const data = mkdtempSync(path.join(root, "data-"));
    const cwd = path.join(data, "../work");
    mkdirSync(cwd, { recursive: true });
    writeFileSync(path.join(data, "policy.rules"), rules);
    const found = await run(["policy", "check", ...split(words), "--data", data, "--cwd", cwd]);
    expect(found.stdout).toMatch(new RegExp(`^${decision}: `));
    expect(found.code).toBe({ allow: 0, ask: 10, block: 11 }[decision]);
  });

  it("has hooks without mistakes", () => {
    const [json] = blocks.filter(({ language }) => language === "json");
    expect(hookProblems(JSON.parse(json?.text ?? "").hooks)).toEqual([]);
  });
});

/** Splits words as a shell does, for the quoting that the page uses. */
function split(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "",
  );
}
