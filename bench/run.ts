// Prints the cost of the hot paths as ratios against a floor measured in the same run, and whether each goal is met:
//
//   npm run bench                        every group; a row is printed as soon as it is measured
//   npm run bench -- append http         two of the groups
//   npm run bench -- --quick             a smoke test: every row runs, but the figures mean nothing
//   npm run bench -- --peer              also installs another server and compares with it
//   npm run bench -- --megabytes 1000    sends a gigabyte through a live run instead of 300 MB
//   npm run bench -- --events 1000000    lets a thousand stalled readers miss a million events instead of 100,000
//
// If a group fails, the others still run. The exit code is 1 if a group failed and 2 for unknown arguments.

import { parseArgs } from "node:util";
import { inProcess, type Size } from "./in-process.ts";
import { rowsOf } from "./log/group.ts";
import { printHeader, printRow } from "./table.ts";

const PEER = "peer";
/** Groups of the log and its feeds; each runs as its own program. */
const programs = ["append", "reads", "http", "fan-out", "stalled", "start", PEER];
const known = [...Object.keys(inProcess), ...programs];

const { values, positionals } = readArguments();
const wanted = positionals.length > 0 ? positionals : known.filter((name) => name !== PEER);
const names = values.peer && !wanted.includes(PEER) ? [...wanted, PEER] : wanted;
const size: Size = values.quick
  ? {
      turns: 5,
      deltas: 200,
      rounds: 3,
      pieces: 100,
      seconds: 0.1,
      runs: 1,
      megabytes: 2,
      files: 600,
      snapshots: 1,
      events: 2_000,
    }
  : {
      turns: 150,
      deltas: 5_000,
      rounds: 15,
      pieces: 12_000,
      seconds: 1,
      runs: 15,
      megabytes: Number(values.megabytes),
      files: 50_000,
      snapshots: 7,
      events: 100_000,
    };

const failed: string[] = [];
printHeader();
for (const [index, name] of names.entries()) {
  console.error(`${index + 1} of ${names.length}: measuring ${name} …`);
  try {
    const rows = inProcess[name]?.(size) ?? rowsOf(name, { quick: values.quick, events: Number(values.events) });
    let count = 0;
    for await (const row of rows) {
      printRow(row);
      count += 1;
    }
    console.error(`${name}: ${count} rows`);
  } catch (error) {
    failed.push(name);
    console.error(`The group ${name} failed: ${(error as Error).message}`);
  }
}
if (failed.length > 0) console.error(`Not measured to the end: ${failed.join(", ")}.`);
process.exitCode = failed.length > 0 ? 1 : 0;

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        megabytes: { type: "string", default: "300" },
        events: { type: "string", default: "100000" },
        peer: { type: "boolean", default: false },
      },
    });
    const unknown = parsed.positionals.filter((name) => !known.includes(name));
    if (unknown.length > 0) throw new Error(`There is no group ${unknown.join(", ")}. Known: ${known.join(", ")}.`);
    return parsed;
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
