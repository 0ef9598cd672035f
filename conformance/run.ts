// Drives the real agents through the scenarios: `npm run conformance [-- agent…]`. Installs them on demand, writes what was
// seen to results.json, and exits with 1 for a problem that is not expected, or an expected one that is gone.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { CLIS, type Cli } from "./clis.ts";
import { digestOf } from "./digest.ts";
import { drive } from "./drive.ts";
import { expectedProblems } from "./expected.ts";
import { isInstalled } from "./place.ts";
import { type Results, readResults, resultsFile } from "./results.ts";
import { scenarios } from "./scenarios.ts";
import { toolsOf } from "./tools.ts";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => CLIS.every((cli) => cli.name !== name));
if (unknown.length > 0) {
  console.error(`No such agent: ${unknown.join(", ")}. Known: ${CLIS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const chosen = CLIS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
await install(chosen);

const results: Results = readResults();
let surprises = 0;
for (const cli of chosen) {
  results[cli.name] = await runAll(cli);
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
}
console.log(surprises === 0 ? "As expected." : `${surprises} surprises.`);
process.exitCode = surprises === 0 ? 0 : 1;

async function runAll(cli: Cli): Promise<Results[string]> {
  const seen = new Set<string>();
  const outcomes: Record<string, "passed" | string> = {};
  for (const scenario of scenarios) {
    if (scenario.needs && !toolsOf[cli.name]?.[scenario.needs]) {
      outcomes[scenario.name] = "Left out: this agent has no such tool on the wire it runs on.";
      continue;
    }
    const { problems, types } = await drive(cli, scenario);
    for (const type of types) seen.add(type);
    const expected = expectedProblems[cli.name]?.[scenario.name];
    outcomes[scenario.name] = problems.length === 0 ? "passed" : (expected ?? problems.join(" "));
    const isSurprise = problems.length > 0 !== (expected !== undefined);
    if (isSurprise) surprises += 1;
    console.log(`${isSurprise ? "✗" : problems.length === 0 ? "✓" : "–"} ${cli.name}: ${scenario.name}`);
    if (isSurprise) for (const problem of problems) console.log(`    ${problem}`);
    if (isSurprise && problems.length === 0) console.log("    It passes now: take it off the list in expected.ts.");
  }
  return {
    version: versionOf(cli),
    date: new Date().toISOString().slice(0, 10),
    digest: digestOf(cli.name),
    scenarios: outcomes,
    types: [...seen].sort(),
  };
}

async function install(clis: readonly Cli[]): Promise<void> {
  const installed = await Promise.all(clis.map(isInstalled));
  if (installed.every(Boolean)) return;
  console.log("Installing the agents into conformance/node_modules …");
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "inherit" });
}

/** The pinned version: what `conformance/package.json` says is what is installed. */
function versionOf({ program }: Cli): string {
  const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  const name = Object.keys(dependencies).find((dependency) => program.startsWith(dependency));
  return name === undefined ? "unknown" : dependencies[name];
}
