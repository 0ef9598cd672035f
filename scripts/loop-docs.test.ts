import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configuredProviders } from "../packages/spoor/src/loop/providers/configured.ts";
import { failureRules } from "../packages/spoor/src/loop/providers/failure-rules.ts";
import { knownProviders } from "../packages/spoor/src/loop/providers/table.ts";
import { providerProblems } from "../packages/spoor/src/options/config/providers.ts";

const page = readFileSync(new URL("../docs/loop.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));

describe("docs/loop.md", () => {
  it.each([...knownProviders, ...configuredProviders({})].filter(({ api }) => api !== "demo"))(
    "lists $name with its variables",
    ({ name, keys, addresses }) => {
      const row = rows.find((line) => line.startsWith(`| \`${name}\``));
      for (const variable of [...keys, ...addresses]) expect(row).toContain(`\`${variable}\``);
    },
  );

  it.each(failureRules)(
    "says what becomes of a failure of kind $kind with the code $code and the statuses $statuses",
    (rule) => {
      const { kind, code, statuses = [], retriable = false } = rule;
      const words = statuses.length > 0 ? statuses.join(", ") : (failureWords[kind] ?? "");
      const row = page.split("\n").find((line) => line.startsWith("| ") && line.includes(words));
      const [, , tried = "", ended = ""] = row?.split("|").map((cell) => cell.trim()) ?? [];
      expect([tried.split(/[,;: ]/)[0], ended]).toEqual([retriable ? "yes" : "no", `\`${code.toLowerCase()}\``]);
    },
  );

  it("shows a configuration that is accepted", () => {
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(providerProblems(JSON.parse(example).providers)).toEqual([]);
  });
});

/** What the page calls failures that have no status. */
const failureWords: Readonly<Record<string, string>> = {
  unreachable: "unreachable",
  cut_off: "the stream was cut",
  context: "does not fit into the context",
  invalid: "cannot be read",
};
