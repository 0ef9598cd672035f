import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { printJson } from "./print-json.ts";
import { factsOfWire } from "./recordings.ts";

export const fixtures = fileURLToPath(new URL("../../../fixtures/", import.meta.url));

/** The recordings below a folder, beginning with the agent: `claude/2.1.325/a-text.jsonl`; documents are `.json`. */
export function recordingsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl?$/.test(name) && !/\.(facts|meta)\.json$/.test(name))
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
}

/** The facts that are stored beside a recording, so that a change of the recording or of its reader shows in review. */
function storedFacts(name: string): string {
  const facts = JSON.stringify(factsOfWire(name, join(fixtures, name)), shorten);
  return `${printJson(JSON.parse(facts))}\n`;
}

export const isUpToDate = (name: string): boolean => {
  const path = pathOf(name);
  return existsSync(path) && readFileSync(path, "utf8") === storedFacts(name);
};

export const store = (name: string): void => writeFileSync(pathOf(name), storedFacts(name));

const pathOf = (name: string): string => join(fixtures, name.replace(/\.jsonl?$/, ".facts.json"));

const LONG = 300;

/** A long text is stored as its beginning, its length and its hash. */
function shorten(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= LONG) return value;
  const hash = createHash("sha256").update(value).digest("hex").slice(0, 16);
  return `${value.slice(0, 80)}… (${value.length} characters, ${hash})`;
}
