// Drives the real agents through the scenarios:
//
//   npm run conformance [-- agent…]                  the pinned versions, installed on demand; writes results.json and
//                                                    wire.gen.json, and exits with 1 on an unexpected problem, or if an
//                                                    expected problem did not occur
//   npm run conformance -- --newest [agent…]         prints which agents have a newer version on npm, installs those
//                                                    apart from the pinned ones, runs them and prints the differences;
//                                                    writes nothing; exits with 1 if a scenario has another outcome
//   npm run conformance -- --newest --pin [agent…]   the same, and pins the newer versions that passed: writes
//                                                    package.json, the lock file, results.json and wire.gen.json

import { execFileSync } from "node:child_process";
import type { Cli } from "./cli.ts";
import { CLIS } from "./clis.ts";
import { digestOf } from "./digest.ts";
import { keep } from "./keep.ts";
import { pinnedVersion } from "./newest.ts";
import { isInstalled } from "./place.ts";
import { runAll } from "./run-all.ts";
import { tryNewest } from "./try-newest.ts";

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isNewest = flags.includes("--newest");
const strange = flags.filter((flag) => flag !== "--newest" && flag !== "--pin");
if (strange.length > 0 || (flags.includes("--pin") && !isNewest)) {
  console.error("Usage: npm run conformance -- [--newest [--pin]] [agent…]");
  process.exit(2);
}
const unknown = wanted.filter((name) => CLIS.every((cli) => cli.name !== name));
if (unknown.length > 0) {
  console.error(`No such agent: ${unknown.join(", ")}. Known: ${CLIS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const chosen = CLIS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
process.exitCode = (await (isNewest ? tryNewest(chosen, flags.includes("--pin")) : prove(chosen))) ? 0 : 1;

async function prove(clis: readonly Cli[]): Promise<boolean> {
  await installPinned(clis);
  let surprises = 0;
  for (const cli of clis) {
    const version = pinnedVersion(cli);
    // The digest of the sources that are about to run, even if they change meanwhile.
    const digest = digestOf(cli.name);
    const runs = await runAll(cli, version);
    surprises += runs.surprises;
    keep(cli, version, digest, runs);
  }
  console.log(surprises === 0 ? "As expected." : `${surprises} surprises.`);
  return surprises === 0;
}

async function installPinned(clis: readonly Cli[]): Promise<void> {
  const installed = await Promise.all(clis.map((cli) => isInstalled(cli)));
  if (installed.every(Boolean)) return;
  console.log("Installing the agents into conformance/node_modules …");
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "inherit" });
}
