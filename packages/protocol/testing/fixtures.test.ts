import { describe, expect, it } from "vitest";
import { createStreamChecker } from "../src/contract/check-stream.ts";
import { envelopeCatalog } from "../src/envelope/catalog.ts";
import { fixtureFiles, untoldTypes } from "./fixtures.ts";

const files = [...fixtureFiles()];
const check = (text: string) => {
  const checker = createStreamChecker();
  const items = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return [...items.flatMap((item) => checker.add(item)), ...checker.end()].map(({ finding }) => finding);
};

describe("the golden fixtures", () => {
  it.each(files.filter(([path]) => !path.startsWith("broken/")))("%s keeps the contract", (_path, text) => {
    expect(check(text)).toEqual([]);
  });

  it("contain every AgentEvent type", () => {
    expect(untoldTypes()).toEqual([]);
  });

  it("contain every dotted type", () => {
    const text = files.map(([, content]) => content).join("");
    expect(envelopeCatalog.map(({ type }) => type).filter((type) => !text.includes(`"type":"${type}"`))).toEqual([]);
  });
});

describe("the broken fixtures", () => {
  it.each(files.filter(([path]) => path.startsWith("broken/")))("%s breaks the rule in its name", (path, text) => {
    const rule = path.replace("broken/", "").replace(".jsonl", "");
    expect(check(text).map((finding) => finding.kind === "violation" && finding.rule)).toContain(rule);
  });
});
