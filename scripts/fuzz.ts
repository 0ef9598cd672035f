// Looks for damaged recordings that break an adapter: npm run fuzz [-- AGENT…] [--seconds N].
// `npm test` tries a few fixed ones; this tries random ones and keeps those that broke an adapter.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Adapter } from "../packages/spoor/src/agents/machine.ts";
import { adapters } from "../packages/spoor/src/agents/registry.ts";
import { damage } from "../packages/spoor/testing/run/damage.ts";
import {
  documentsOf,
  eventsOfLines,
  linesOf,
  recordingsOf,
  violationsOf,
} from "../packages/spoor/testing/run/recorded.ts";

const { values, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "10" } },
  allowPositionals: true,
});
const names = adapters.map(({ name }) => name);
const unknown = positionals.find((name) => !names.includes(name));
const seconds = Number(values.seconds);
let directory: string | undefined;
let kept = 0;

if (unknown !== undefined || !(seconds > 0)) {
  const problem = unknown === undefined ? "--seconds takes a number above 0." : `There is no agent "${unknown}".`;
  process.stderr.write(
    `${problem} Usage: npm run fuzz [-- AGENT…] [--seconds N]; the agents are ${names.join(", ")}.\n`,
  );
  process.exit(2);
}
const chosen = positionals.length === 0 ? adapters : adapters.filter(({ name }) => positionals.includes(name));
for (const adapter of chosen) await hunt(adapter, Date.now() + seconds * 1_000);

async function hunt(adapter: Adapter, until: number): Promise<void> {
  const own = [...recordingsOf(adapter.name), ...documentsOf(adapter.name)];
  const recordings = own.length > 0 ? own : recordingsOf("acp");
  const found = new Map<string, string>();
  let tried = 0;
  for (; Date.now() < until; tried++) {
    const lines = damagedOne(recordings);
    for (const finding of await findingsOf(adapter, lines)) {
      if (!found.has(finding)) found.set(finding, keep(adapter.name, lines));
    }
  }
  process.stdout.write(`${adapter.name}: ${tried} tried, ${found.size === 0 ? "none broke it" : "broken by"}\n`);
  for (const [finding, file] of found) process.stdout.write(`  ${finding}\n    ${file}\n`);
  if (found.size > 0) process.exitCode = 1;
}

function below(count: number): number {
  return Math.floor(Math.random() * count);
}

function anyOf(recordings: readonly string[]): string[] {
  return linesOf(recordings[below(recordings.length)] as string).slice(0, 400);
}

/** Sometimes appends the end of another recording. */
function damagedOne(recordings: readonly string[]): readonly string[] {
  const lines = anyOf(recordings);
  const other = below(5) === 0 ? anyOf(recordings) : [];
  const joined =
    other.length > 0 ? [...lines.slice(0, below(lines.length)), ...other.slice(below(other.length))] : lines;
  return Array.from({ length: 1 + below(5) }, () => below(2 ** 31)).reduce(damage, joined as readonly string[]);
}

async function findingsOf(adapter: Adapter, lines: readonly string[]): Promise<string[]> {
  try {
    const events = await eventsOfLines(adapter, lines);
    const unread = events.some(
      (event) => event.type === "debug" && event.message.startsWith("A frame could not be read"),
    );
    const violations = violationsOf(events).map((violation) => violation.replace(/^\d+ /, "").replaceAll(/\d+/g, "N"));
    return [...violations, ...(unread ? ["A frame could not be read."] : [])];
  } catch (error) {
    return [`The adapter throws: ${error}`];
  }
}

function keep(agent: string, lines: readonly string[]): string {
  directory ??= mkdtempSync(path.join(tmpdir(), "spoor-fuzz-"));
  const file = path.join(directory, `${agent}-${++kept}.jsonl`);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}
