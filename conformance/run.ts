// Drives the real agents through the scenarios:
//
//   npm run conformance [-- agent…]                  the pinned versions, installed on demand; writes results.json and
//                                                    wire.gen.json, and exits with 1 on an unexpected problem, or if an
//                                                    expected problem did not occur
//   npm run conformance -- loop                      Spoor's own agent, which needs no install, in the language of every
//                                                    provider
//   npm run conformance -- --newest [agent…]         prints which agents have a newer version on npm, installs those
//                                                    apart from the pinned ones, runs them and prints the differences;
//                                                    writes nothing; exits with 1 if a scenario has another outcome
//   npm run conformance -- --newest --pin [agent…]   the same, and pins the newer versions that passed: writes
//                                                    package.json, the lock file, results.json and wire.gen.json
//   npm run conformance -- --runtime [agent…]        drives them through the command `spoor`: answered, stopped, paused
//                                                    and reverted from other processes; writes runtime/results.json
//   npm run conformance -- --clients                 lets clients that others wrote, installed on demand, drive Spoor:
//                                                    acpx drives `spoor acp`, and so does the client of the official SDK
//                                                    with Claude Code behind it; and Claude Code reads by `spoor mcp`

import { execFileSync } from "node:child_process";
import type { Cli } from "./cli.ts";
import { proveAcpx } from "./clients/acpx.ts";
import { proveClaudeMcp } from "./clients/claude-mcp.ts";
import { proveEditor } from "./clients/editor.ts";
import { CLIS } from "./clis.ts";
import { digestOf } from "./digest.ts";
import { keep, keepResult } from "./keep.ts";
import { loopVersion, runAllOfLoop } from "./loop/run-all.ts";
import { pinnedVersion } from "./newest.ts";
import { isInstalled } from "./place.ts";
import { runAll } from "./run-all.ts";
import { runtimeAgents } from "./runtime/agents.ts";
import { keepRuntimeResult } from "./runtime/results.ts";
import { runAllUnderRuntime } from "./runtime/run-all.ts";
import { tryNewest } from "./try-newest.ts";

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isNewest = flags.includes("--newest");
const isRuntime = flags.includes("--runtime");
const isClients = flags.includes("--clients");
const known = ["--newest", "--pin", "--runtime", "--clients"];
const strange = flags.filter((flag) => !known.includes(flag));
const kinds = [isNewest, isRuntime, isClients].filter(Boolean).length;
if (strange.length > 0 || (flags.includes("--pin") && !isNewest) || kinds > 1) {
  console.error("Usage: npm run conformance -- [--newest [--pin] | --runtime | --clients] [agent…]");
  process.exit(2);
}
const isOwn = (name: string): boolean => name === "loop" && !isNewest && !isRuntime;
const unknown = wanted.filter((name) => !isOwn(name) && CLIS.every((cli) => cli.name !== name));
if (unknown.length > 0) {
  console.error(`No such agent: ${unknown.join(", ")}. Known: ${CLIS.map(({ name }) => name).join(", ")}, loop.`);
  process.exit(2);
}
const chosen = CLIS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
process.exitCode = (await outcome()) ? 0 : 1;

function outcome(): Promise<boolean> {
  if (isClients) return proveClients();
  if (isNewest) return tryNewest(chosen, flags.includes("--pin"));
  if (!isRuntime) return prove(chosen, wanted.length === 0 || wanted.some(isOwn));
  return proveUnderRuntime(wanted.length === 0 ? runtimeAgents : chosen.filter(({ needsLogin }) => !needsLogin));
}

async function proveClients(): Promise<boolean> {
  const outcomes = [await proveAcpx(), await proveEditor()];
  for (const cli of CLIS.filter(({ name }) => name === "claude")) {
    await installPinned([cli]);
    outcomes.push(await proveClaudeMcp(cli));
  }
  return outcomes.every(Boolean);
}

async function prove(clis: readonly Cli[], withLoop: boolean): Promise<boolean> {
  await installPinned(clis);
  let surprises = withLoop ? await proveLoop() : 0;
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

/** Its code is not compared with that of the last run: `npm test` drives it as well. */
async function proveLoop(): Promise<number> {
  const { scenarios, types, surprises } = await runAllOfLoop();
  keepResult("loop", { version: loopVersion(), digest: "", scenarios, types });
  return surprises;
}

async function proveUnderRuntime(clis: readonly Cli[]): Promise<boolean> {
  await installPinned(clis);
  let surprises = 0;
  for (const cli of clis) {
    const version = pinnedVersion(cli);
    const digest = digestOf(cli.name);
    const runs = await runAllUnderRuntime(cli);
    surprises += runs.surprises;
    const date = new Date().toISOString().slice(0, 10);
    keepRuntimeResult(cli.name, { version, date, digest, scenarios: runs.scenarios });
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
