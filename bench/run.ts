// Prints what the hot paths cost as ratios against a floor measured in the same run. `--quick` is a smoke test.

import { parseArgs } from "node:util";
import { ratios } from "./measure.ts";
import { normaliseCases } from "./normalise.ts";
import { growthCases, protocolCases } from "./protocol.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const size = values.quick
  ? { turns: 5, deltas: 200, rounds: 3, copies: 2 }
  : { turns: 150, deltas: 5_000, rounds: 15, copies: 200 };

/** What each may cost at most. */
const goals: Record<string, number> = {
  "check AgentEvents": 1.25,
  "map AgentEvents to stored bytes": 3,
  "check envelopes": 2.5,
  "fold envelopes to a view": 1.25,
  // The others print shorter lines, so that what each event costs weighs more; they are shown, not held to it.
  "normalise claude to stored bytes": 2.5,
};

interface Row {
  what: string;
  ratio: number;
  against: string;
  goal: number | undefined;
}

const rows: Row[] = [];

for (const { floor, work } of protocolCases(size.turns)) {
  const found = ratios([floor, ...work], size.rounds);
  for (const { name } of work) {
    rows.push({
      what: name,
      ratio: found.get(name) ?? Number.NaN,
      against: floor.name,
      goal: goals[name],
    });
  }
}
for (const { name, short, long } of growthCases(size.deltas)) {
  const ratio = 10 * (ratios([short, long], size.rounds).get(long.name) ?? Number.NaN);
  rows.push({ what: `${name}, 10× the deltas`, ratio, against: "the same with 1×", goal: 11 });
}
for (const { floor, work } of normaliseCases(size.copies)) {
  const ratio = ratios([floor, work], size.rounds).get(work.name) ?? Number.NaN;
  rows.push({ what: work.name, ratio, against: floor.name, goal: goals[work.name] });
}
print(rows);

function print(all: readonly Row[]): void {
  const cells = [
    ["what", "ratio", "against", "goal", ""],
    ...all.map(({ what, ratio, against, goal }) => [
      what,
      `${ratio.toFixed(2)}×`,
      against,
      goal === undefined ? "" : `≤ ${goal}×`,
      goal === undefined ? "" : ratio <= goal ? "met" : "MISSED",
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    console.log(
      row
        .map((cell, column) => (column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    );
  }
}
