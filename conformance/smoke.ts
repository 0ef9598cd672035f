// Runs each installed agent once against the model server and prints the result: `node conformance/smoke.ts [agent…]`.
// Install the agents with `npm install` in `conformance/`.

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cli } from "./cli.ts";
import { CLIS } from "./clis.ts";
import { startModelServer } from "./model-server/server.ts";
import { isInstalled, type Placed, place } from "./place.ts";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => CLIS.every((cli) => cli.name !== name));
if (unknown.length > 0) {
  console.error(`No such agent: ${unknown.join(", ")}. Known: ${CLIS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

for (const cli of CLIS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (!cli.oneShot) console.log(`${cli.name}: speaks ACP only; run npm run conformance -- ${cli.name}.`);
  else if (await isInstalled(cli)) await smoke(cli);
  else console.log(`${cli.name}: not installed; run npm install in conformance/.`);
}

async function smoke(cli: Cli): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), `spoor-smoke-${cli.name}-`));
  const server = await startModelServer({
    script: [{ blocks: [{ type: "text", text: "Hello from the script.", deltas: 4 }] }],
  });
  try {
    const placed = await place(cli, { url: server.url, home });
    const version = await run(placed, placed.version);
    const shot = await run(placed, placed.oneShot("Say hello."));
    const lines = shot.stdout.split("\n").filter((line) => line !== "");
    console.log(`${cli.name} ${version.stdout.trim()}: exit ${shot.exit}, ${lines.length} lines`);
    for (const line of [lines[0], lines.at(-1)]) console.log(`  ${line?.slice(0, 300)}`);
    for (const { method, path, step, isSide } of server.requests) {
      const how = step !== undefined ? `step ${step}` : isSide ? "side" : "nothing in the script";
      console.log(`  asked: ${method} ${path} (${how})`);
    }
    if (shot.stderr !== "") console.log(`  stderr: ${shot.stderr.trim().slice(0, 500)}`);
  } finally {
    await server.close();
    // Agents may still be writing files.
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

interface Result {
  exit: number | string;
  stdout: string;
  stderr: string;
}

function run({ command, first, env, cwd }: Placed, args: readonly string[]): Promise<Result> {
  const options = { env, cwd, timeout: 120_000, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 } as const;
  return new Promise((resolve) => {
    const child = execFile(command, [...first, ...args], options, (error, stdout, stderr) => {
      resolve({ exit: error === null ? 0 : (error.code ?? error.signal ?? "unknown"), stdout, stderr });
    });
    // Several agents read stdin to its end before they begin.
    child.stdin?.end();
  });
}
