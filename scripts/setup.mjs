// Installs what is missing, then runs a command:
//
//   node scripts/setup.mjs vitest run    installs what is missing, then runs vitest on the pinned Node
//   node scripts/setup.mjs               installs what is missing
//
// Plain JavaScript without dependencies: it runs before anything is installed, on any Node from version 18.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { install, SetupError } from "./setup/install.mjs";
import { whyStale } from "./setup/installed.mjs";
import { dieOf, run } from "./setup/run.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [command, ...args] = process.argv.slice(2);

if ((await ready()) && command !== undefined) await handOver(command, args);

async function ready() {
  if (whyStale(root) === undefined) return true;
  try {
    await install(root);
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    if (error.signal !== undefined) dieOf(error.signal);
    console.error(error.message);
    process.exitCode = 1;
    return false;
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 */
async function handOver(command, args) {
  const env = {
    ...process.env,
    PATH: [path.join(root, "node_modules", ".bin"), process.env.PATH].join(path.delimiter),
  };
  const end = await run(command, args, { env, stdio: "inherit" });
  if (end.error !== undefined) {
    console.error(`Cannot run "${command}": ${end.error.message}.`);
    process.exitCode = 127;
  } else if (end.signal !== undefined) {
    dieOf(end.signal);
  } else {
    process.exitCode = end.code;
  }
}
