import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtInTools, commandTools } from "../packages/spoor/src/loop/tools/index.ts";
import { searchProviders } from "../packages/spoor/src/loop/tools/web/search-providers.ts";
import { parseRules } from "../packages/spoor/src/runtime/policy/rule.ts";

const page = readFileSync(new URL("../docs/loop.md", import.meta.url), "utf8");
const section = page.slice(page.indexOf("\n## Tools\n")).split(/\n## (?!Tools)/)[0] ?? "";

describe("the tools in docs/loop.md", () => {
  it("are those of the loop, with the limits and rules that they have", () => {
    const rows = [...section.matchAll(/^\| (`\w+`) .*$/gm)].map(([line]) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const tools = [...builtInTools, ...commandTools];
    expect(rows).toEqual(tools.map(({ name, about: { does, limits, rules } }) => [`\`${name}\``, does, limits, rules]));
  });

  it("have rules without mistakes, and name every variable that configures a search", () => {
    const rules = [...section.matchAll(/^```rules\n(.*?)^```/gms)].map(([, text = ""]) => text);
    expect(rules).toHaveLength(1);
    for (const text of rules) expect(parseRules(text, "user", "docs").problems).toEqual([]);
    for (const { variable } of searchProviders) expect(section).toContain(variable);
  });
});
