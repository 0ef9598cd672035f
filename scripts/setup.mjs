// Installs what is missing, then runs a command:
//
//   node scripts/setup.mjs vitest run    installs what is missing, then runs vitest on the pinned Node
//   node scripts/setup.mjs --page ...    also builds the web page, unless it is current
//   node scripts/setup.mjs               installs what is missing
//
// Plain JavaScript without dependencies: it runs before anything is installed, on any Node from version 18.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { install, SetupError } from "./setup/install.mjs";
import { whyStale } from "./setup/installed.mjs";
import { buildPage } from "./setup/page.mjs";
import { dieOf, run } from "./setup/run.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const needsPage = process.argv[2] === "--page";
const [command, ...args] = process.argv.slice(needsPage ? 3 : 2);

if ((await ready()) && command !== undefined) await handOver(command, args);

async function ready() {
  try {
    if (whyStale(root) !== undefined) await install(root);
    if (needsPage) await buildPage(root);
    return true;
  } catch (error) {
    if (error instanceof SetupError && error.signal !== undefined) dieOf(error.signal);
    console.error(error instanceof SetupError ? error.message : fileFault(error));
    process.exitCode = 1;
    return false;
  }
}

/**
 * Says which file could not be read or written. Any other error is a mistake in this program and is thrown again.
 *
 * @param {any} error
 */
function fileFault(error) {
  if (error?.syscall === undefined) throw error;
  return (
    `Set-up failed: it could not read or write a file in ${root} (${error.message}).\n` +
    "What to try: set-up installs packages and builds the web page inside this folder, so you must own it, and the disk\n" +
    "must have space. Run the same command as the owner of the folder, or in a copy of your own."
  );
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
