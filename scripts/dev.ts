// Works on the page with hot reload: `npm run dev [-- --data DIR]`.
//
// The page comes from Vite and everything else from the server of the data directory. If none runs, this starts one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { parseArgs } from "node:util";
import { createServer } from "vite";
import { dataDirectory } from "../packages/spoor/src/log/open.ts";
import { findServer, type RunningServer } from "../packages/spoor/src/server/index.ts";

const root = path.dirname(import.meta.dirname);
const { values } = parseArgs({ options: { data: { type: "string" }, port: { type: "string" } } });
const directory = path.resolve(values.data ?? dataDirectory());

let isStopping = false;
const running = await findServer(directory);
const started = running ? undefined : startServer();
const server = running ?? (await untilServed());
process.env.SPOOR_URL = server.url;

const vite = await createServer({
  root: path.join(root, "packages/web"),
  server: { ...(values.port !== undefined && { port: Number(values.port) }) },
});
await vite.listen();
const page = (vite.resolvedUrls?.local[0] ?? "").replace(/\/$/, "");
console.log(`The page with hot reload is at ${page}
  it shows ${directory}, served by ${server.url}${started ? "" : " (which ran already)"}
  open in a browser (works once, within 15 minutes): ${page}${new URL(server.login_url).pathname}

Ctrl-C stops ${started ? "both" : "it; the server goes on"}.`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());

async function stop(): Promise<void> {
  isStopping = true;
  started?.kill("SIGTERM");
  await vite.close();
  if (started && started.exitCode === null) await once(started, "exit");
  process.exit(0);
}

function startServer() {
  const program = path.join(root, "packages/spoor/bin/spoor.js");
  const child = spawn(
    process.execPath,
    ["--conditions=spoor-source", program, "serve", "--data", directory, "--json"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  child.once("exit", (code) => {
    if (isStopping) return;
    console.error("The server has ended, so the page has nothing to show. Start `npm run dev` again.");
    process.exit(code ?? 1);
  });
  return child;
}

/** Waits until the server that was started here listens. */
async function untilServed(): Promise<RunningServer> {
  if (started) await once(started.stdout, "data");
  const found = await findServer(directory);
  if (!found) throw new Error(`No server could be started on ${directory}.`);
  return found;
}
