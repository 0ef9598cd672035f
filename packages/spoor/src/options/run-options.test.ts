import { describe, expect, it } from "vitest";
import { hoverTexts } from "../../testing/options/hover.ts";
import { mergeLayers } from "./merge.ts";
import type { OptionRow } from "./option-row.ts";
import { optionRows, rowOf } from "./run-options.ts";
import { optionProblems } from "./validate.ts";

/** Two valid values of each type that options have. */
const examples: Readonly<Record<string, readonly [unknown, unknown]>> = {
  string: ["near", "far"],
  number: [2048, 4096],
  boolean: [true, true],
  "readonly string[]": [["near"], ["far"]],
  "string | readonly string[]": ["near", ["far"]],
  "Readonly<Record<string, string>>": [{ A: "near" }, { A: "far", B: "far" }],
  "Readonly<Record<string, string | undefined>>": [{ A: "near" }, { A: undefined }],
  "readonly AttachmentOption[]": [[{ filePath: "near" }], [{ url: "http://localhost/far" }]],
  "readonly (McpServer | RemoteMcpServer)[]": [[{ name: "near", command: "x" }], [{ name: "far", command: "x" }]],
  "Partial<RetryPolicy>": [{ maxAttempts: 1 }, { maxDelayMs: 1 }],
  ApprovalCallback: [() => true, () => false],
  InputCallback: [() => "near", () => "far"],
};

function examplesOf({ check }: OptionRow): readonly unknown[] {
  const special = check === rowOf("runId")?.check ? ["01M7AAAA000000000000000QX7", "01M7BBBB000000000000000QX7"] : [];
  return [...special, ...(check.values ?? examples[check.type ?? ""] ?? [])].slice(0, 2);
}

describe.each(optionRows)("the option %s", (name, row) => {
  const [near, far] = examplesOf(row);

  it("has a sentence of documentation, and a flag or a reason for having none", () => {
    expect(row.doc).toMatch(/^[A-Z`].*\.$/s);
    if ("flag" in row) expect(row.flag.name).toMatch(/^--[a-z-]+( <[a-z]+>)?$/);
    else expect(row.noFlag).not.toBe("");
  });

  it("accepts a valid value in a call, and in files and clients if it is shared", () => {
    expect(near).toBeDefined();
    expect(optionProblems({ [name]: near }, "run")).toEqual([]);
    expect(optionProblems({ [name]: near }, "shared").length).toBe(row.scope === "shared" ? 0 : 1);
  });

  it("merges with a farther layer as its row says", () => {
    const target = row.aliasOf ?? name;
    const merged: unknown = mergeLayers([{ [name]: near }, { [name]: far }])[target as typeof name];
    const normal = rowOf(target)?.synonyms?.[String(near)] ?? near;
    if (row.merge === "keys") expect(merged).toEqual({ ...(far as object), ...(near as object) });
    else if (row.merge === "names") expect(merged).toEqual([...(far as object[]), ...(near as object[])]);
    else expect(merged).toEqual(normal);
  });

  it("names options that exist", () => {
    if (row.aliasOf !== undefined) expect(rowOf(row.aliasOf)?.check.type).toBe(row.check.type);
  });
});

it("editors show the documentation of every option, of runs as of clients", { timeout: 60_000 }, async () => {
  const shared = optionRows.filter(([, { scope }]) => scope === "shared");
  const lines = [
    ...optionRows.map(([name]) => ({ code: `({} as RunOptions).${name};`, name })),
    ...shared.map(([name]) => ({ code: `({} as ClientOptions).${name};`, name })),
  ];
  const texts = await hoverTexts('import type { ClientOptions, RunOptions } from "../src/index.ts";', lines);
  const plain = (text: string) => text.replaceAll(/\s+/g, " ");
  const missing = lines.filter(
    ({ name }, index) => !plain(texts[index] ?? "").includes(plain(rowOf(name)?.doc ?? "?")),
  );
  expect(missing).toEqual([]);
});
