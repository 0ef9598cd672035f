import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configuredProviders } from "../packages/spoor/src/loop/providers/configured.ts";
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

  it("shows a configuration that is accepted", () => {
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    expect(providerProblems(JSON.parse(example).providers)).toEqual([]);
  });
});
