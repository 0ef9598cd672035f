import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { readServers } from "./mcp-trust.ts";
import { storedList } from "./stored-list.ts";

const numbers = storedList<number>("numbers.json", "numbers", (one) => typeof one === "number", "so none counts.");

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "spoor-list-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it("keeps what several processes add at the same time", { timeout: 60_000 }, async () => {
  const directory = folder();
  const module = JSON.stringify(new URL("./mcp-trust.ts", import.meta.url).href);
  const code = (first: number) => `
    const { approveServer } = await import(${module});
    for (let n = ${first}; n < ${first} + 20; n += 1)
      approveServer(${JSON.stringify(directory)}, { name: "s" + n, sha256: "x", launch: {}, approved_at: "" });`;
  const options = ["--conditions=spoor-source", "--disable-warning=ExperimentalWarning", "--input-type=module", "-e"];
  await Promise.all([0, 20, 40, 60].map((first) => promisify(execFile)(process.execPath, [...options, code(first)])));
  expect(readServers(directory)).toHaveLength(80);
});

it("is changed although a process died while it changed the list", () => {
  const directory = folder();
  const draft = `${numbers.fileIn(directory)}.new`;
  writeFileSync(draft, "half");
  utimesSync(draft, new Date(0), new Date(0));
  numbers.change(directory, (all) => [...all, 7]);
  expect([numbers.read(directory), existsSync(draft)]).toEqual([[7], false]);
});

it("stays as it is if the change fails, and if the file is damaged", () => {
  const directory = folder();
  numbers.change(directory, () => [1]);
  const fail = (): number[] => {
    throw new Error("no");
  };
  expect(() => numbers.change(directory, fail)).toThrow("no");
  expect(numbers.read(directory)).toEqual([1]);
  writeFileSync(numbers.fileIn(directory), "{");
  expect(() => numbers.change(directory, () => [2])).toThrow("numbers.json is damaged, so none counts.");
  expect([readFileSync(numbers.fileIn(directory), "utf8"), existsSync(`${numbers.fileIn(directory)}.new`)]).toEqual([
    "{",
    false,
  ]);
});
