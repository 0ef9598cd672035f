// Drives the real agents through the scenarios:
//
//   npm run conformance [-- agent…]            the pinned versions, installed on demand; writes results.json and wire.gen.json,
//                                              and exits with 1 for a problem that is not expected, or an expected one
//                                              that is gone
//   npm run conformance -- --latest [agent…]   the newest published versions, installed apart; writes nothing, tells what
//                                              is different from the pinned ones, and exits with 1 if a scenario is

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { changesOf, isBroken } from "./changes.ts";
import { CLIS, type Cli } from "./clis.ts";
import { digestOf } from "./digest.ts";
import { installLatest, pinnedVersion } from "./latest.ts";
import { isInstalled } from "./place.ts";
import { readResults, resultsFile } from "./results.ts";
import { runAll } from "./run-all.ts";
import { printWires, readWires, wiresFile } from "./wire.ts";

const isLatest = process.argv.includes("--latest");
const wanted = process.argv.slice(2).filter((argument) => argument !== "--latest");
const unknown = wanted.filter((name) => CLIS.every((cli) => cli.name !== name));
if (unknown.length > 0) {
  console.error(`No such agent: ${unknown.join(", ")}. Known: ${CLIS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const chosen = CLIS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
process.exitCode = (await (isLatest ? watch(chosen) : prove(chosen))) ? 0 : 1;

async function prove(clis: readonly Cli[]): Promise<boolean> {
  await install(clis);
  let surprises = 0;
  for (const cli of clis) {
    const version = pinnedVersion(cli);
    // Of the sources that are about to run, whatever happens to them meanwhile.
    const digest = digestOf(cli.name);
    const runs = await runAll(cli, version);
    surprises += runs.surprises;
    const date = new Date().toISOString().slice(0, 10);
    const { scenarios, types, wire } = runs;
    // Read again: another run may have written its own meanwhile.
    const results = { ...readResults(), [cli.name]: { version, date, digest, scenarios, types } };
    writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
    writeFileSync(wiresFile, printWires({ ...readWires(), [cli.name]: wire }));
  }
  console.log(surprises === 0 ? "As expected." : `${surprises} surprises.`);
  return surprises === 0;
}

async function watch(clis: readonly Cli[]): Promise<boolean> {
  const results = readResults();
  const wires = readWires();
  let isWell = true;
  for (const cli of clis) {
    const installed = installLatest(cli);
    if (!installed) {
      console.log(`\nThe newest ${cli.name} cannot be installed; see above. Try again when it is whole.`);
      isWell = false;
      continue;
    }
    const { modules, version } = installed;
    const [result, wire] = [results[cli.name], wires[cli.name]];
    console.log(`\n${cli.name} ${version}, held against ${wire?.version ?? "nothing"}`);
    if (!(await isInstalled(cli, modules))) {
      console.log(`The program is no longer at ${cli.program}: change clis.ts.`);
      isWell = false;
      continue;
    }
    const latest = await runAll(cli, version, modules);
    if (!result || !wire) {
      console.log(`Nothing to hold it against: run \`npm run conformance -- ${cli.name}\` first.`);
      continue;
    }
    if (result.digest !== digestOf(cli.name)) {
      console.log("The adapter has changed since the pinned version was run: some of this may be its doing.");
    }
    const changes = changesOf({ scenarios: result.scenarios, wire }, latest);
    for (const change of changes.length > 0 ? changes : ["Nothing has changed."]) console.log(`- ${change}`);
    if (isBroken({ scenarios: result.scenarios, wire }, latest)) isWell = false;
  }
  return isWell;
}

async function install(clis: readonly Cli[]): Promise<void> {
  const installed = await Promise.all(clis.map((cli) => isInstalled(cli)));
  if (installed.every(Boolean)) return;
  console.log("Installing the agents into conformance/node_modules …");
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "inherit" });
}
