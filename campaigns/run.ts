// Runs fault campaigns of a chosen size against Spoor and prints a table of counts:
//
//   npm run campaigns                                 every campaign at its full size
//   npm run campaigns -- kill secrets --cases 5000    two of them, 5,000 cases each
//   npm run campaigns -- --seed 7                     other cases; the seed in use is printed
//
// The exit code is 1 if a promise was broken and 2 for unknown arguments.

import { parseArgs } from "node:util";
import type { CampaignResult } from "./campaign.ts";
import { campaigns } from "./list.ts";

const { names, cases, seed } = readArguments();
const size = cases === undefined ? "" : ` --cases ${cases}`;
console.log(`Seed ${seed}. Repeat with: npm run campaigns -- ${names.join(" ")}${size} --seed ${seed}`);
const rows: string[][] = [["campaign", "cases", "failures", "seconds", "counts"]];
let broken = 0;
for (const name of names) {
  const { result, ...row } = await runOne(name);
  broken += result.failures.length;
  for (const failure of result.failures.slice(0, 20)) console.log(`  FAILED ${failure}`);
  if (result.failures.length > 20) console.log(`  and ${result.failures.length - 20} more failures`);
  const counts = Object.entries(result.counts).map(([what, count]) => `${count.toLocaleString("en")} ${what}`);
  rows.push([name, String(row.cases), String(result.failures.length), row.seconds.toFixed(1), counts.join(", ")]);
}
printTable(rows);
process.exitCode = broken > 0 ? 1 : 0;

async function runOne(name: string): Promise<{ cases: number; seconds: number; result: CampaignResult }> {
  const campaign = await (campaigns[name] as NonNullable<(typeof campaigns)[string]>)();
  const total = cases ?? campaign.cases.full;
  console.log(`\n${name}: ${campaign.about} (${total} cases)`);
  const start = performance.now();
  let lastPrinted = start;
  const onCase = (done: number): void => {
    if (performance.now() - lastPrinted < 2_000) return;
    lastPrinted = performance.now();
    console.log(`  ${done} of ${total}`);
  };
  const result = await campaign.run({ cases: total, seed, onCase });
  return { cases: total, seconds: (performance.now() - start) / 1000, result };
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { cases: { type: "string" }, seed: { type: "string", default: "1" } },
      allowPositionals: true,
    });
    const unknown = positionals.filter((name) => !Object.hasOwn(campaigns, name));
    if (unknown.length > 0) throw new Error(`There is no campaign ${unknown.join(", ")}.`);
    const names = positionals.length > 0 ? [...new Set(positionals)] : Object.keys(campaigns);
    return {
      names,
      cases: values.cases === undefined ? undefined : wholeNumber("--cases", values.cases),
      seed: wholeNumber("--seed", values.seed),
    };
  } catch (error) {
    console.error(`${(error as Error).message} Known campaigns: ${Object.keys(campaigns).join(", ")}.`);
    process.exit(2);
  }
}

function wholeNumber(flag: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw new Error(`${flag} takes a whole number of at least 1.`);
  return number;
}

function printTable(table: readonly (readonly string[])[]): void {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  console.log("");
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
