import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "./main.ts";

let root: string;
let printed: string[];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "spoor-generate-"));
  printed = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const print = (line: string) => void printed.push(line);
const run = (...args: string[]) => main(args, root, { log: print, error: print });
const place = (name: string) => path.join(root, name);
const schema = "packages/protocol/schemas/v1/payloads/run.queued.schema.json";

describe("generate", () => {
  it("writes and names all files, and writes nothing the second time", () => {
    expect(run()).toBe(0);
    expect(printed).toContain(schema);
    expect(printed).toContain("docs/events.md");
    expect(readFileSync(place(schema), "utf8")).toMatch(/^\{\n {2}"\$schema": .*\n\}\n$/s);
    printed = [];
    expect(run()).toBe(0);
    expect(printed).toEqual([]);
  });

  it("removes files that are no longer generated and no other file", () => {
    run();
    const left = "packages/protocol/schemas/v1/payloads/run.gone.schema.json";
    writeFileSync(place(left), "{}");
    writeFileSync(place("docs/other.md"), "Mine.");
    writeFileSync(place("packages/protocol/schemas/tombstones.json"), "{}");
    printed = [];
    expect(run()).toBe(0);
    expect(printed).toEqual([left]);
    expect(existsSync(place(left))).toBe(false);
    expect(existsSync(place("docs/other.md"))).toBe(true);
    expect(existsSync(place("packages/protocol/schemas/tombstones.json"))).toBe(true);
  });
});

describe("generate --check", () => {
  it("passes when all files are up to date", () => {
    run();
    printed = [];
    expect(run("--check")).toBe(0);
    expect(printed).toEqual([]);
  });

  it("names missing, stale and leftover files, and changes nothing", () => {
    run();
    rmSync(place("docs/events.md"));
    writeFileSync(place(schema), "{}");
    mkdirSync(place("packages/protocol/schemas/v1/old"));
    writeFileSync(place("packages/protocol/schemas/v1/old/a.json"), "{}");
    printed = [];
    expect(run("--check")).toBe(1);
    expect(printed).toEqual([
      "docs/events.md is missing.",
      `${schema} is out of date.`,
      "packages/protocol/schemas/v1/old/a.json is no longer generated.",
      "Run `npm run generate` and commit what it writes.",
    ]);
    expect(readFileSync(place(schema), "utf8")).toBe("{}");
  });
});

describe("generate --release", () => {
  it("records the definitions and changes no other file", () => {
    expect(run("--release")).toBe(0);
    expect(existsSync(place("packages/protocol/schemas/released.json"))).toBe(true);
    expect(existsSync(place("docs/events.md"))).toBe(false);
  });

  it("refuses a change that breaks the last release, and says why", () => {
    run("--release");
    const released = place("packages/protocol/schemas/released.json");
    const before = readFileSync(released, "utf8").replace(
      '"run.queued": {',
      '"run.queued": {\n"mood": {"type":"string"},',
    );
    writeFileSync(released, before);
    expect(run("--release")).toBe(1);
    expect(printed).toEqual([
      "`run.queued#mood` is no longer defined, but readers use it. Define it again. To rename a field, add the new one and keep the old one.",
    ]);
    expect(readFileSync(released, "utf8")).toBe(before);
  });
});
