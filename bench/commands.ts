import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../packages/spoor/src/log/log.ts";
import { openLog } from "../packages/spoor/src/log/open.ts";
import { sendCommand } from "../packages/spoor/src/runtime/commands/send.ts";
import { waitForCommand } from "../packages/spoor/src/runtime/commands/wait.ts";
import { serveProducers } from "../packages/spoor/src/runtime/relay/serve-producers.ts";
import { median } from "./measure.ts";

interface CommandCosts {
  ratio: number;
  commandMs: number;
  bareMs: number;
}

const bin = fileURLToPath(new URL("../packages/spoor/bin/spoor.js", import.meta.url));
const agent = fileURLToPath(new URL("../packages/spoor/testing/cli/programs/commanded-claude.mjs", import.meta.url));

/**
 * Measures a command to a run in another process, from the request until its effect is durable: the command's row, the way to
 * the process, and the event that it causes. The floor has the same two commits and a round trip over a bare Unix socket to
 * another process in between.
 */
export async function commandCosts(rounds: number): Promise<CommandCosts> {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-bench-commands-"));
  const log = await openLog({ directory });
  const producers = await serveProducers({ log, directory });
  const run = spawn(
    process.execPath,
    [
      "--conditions=spoor-source",
      bin,
      "run",
      "claude",
      "hang",
      "--data",
      directory,
      "--command",
      `"${process.execPath}" "${agent}"`,
    ],
    { cwd: directory, stdio: "ignore" },
  );
  const exited = once(run, "exit");
  const echo = await startEcho(directory);
  try {
    const run_id = await startedRun(log);
    const samples: { commandMs: number; bareMs: number }[] = [];
    for (let round = -5; round < rounds; round++) {
      const bareMs = await timed(() => bareExchange(log, echo.socket));
      const commandMs = await timed(async () => {
        const { command } = await sendCommand(log, { run_id, kind: "send", body: { text: "more" }, by: "bench" });
        const done = await waitForCommand(log, command.command_id, { timeoutMs: 30_000 });
        if (done?.outcome !== "done") throw new Error(`The command was not carried out: ${done?.detail}`);
      });
      if (round >= 0) samples.push({ commandMs, bareMs });
    }
    return {
      ratio: median(samples.map(({ commandMs, bareMs }) => commandMs / bareMs)),
      commandMs: median(samples.map(({ commandMs }) => commandMs)),
      bareMs: median(samples.map(({ bareMs }) => bareMs)),
    };
  } finally {
    run.kill("SIGTERM");
    await exited;
    await echo.close();
    await producers.close();
    await log.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startedRun(log: Log): Promise<string> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    const [run] = (await log.runs({ limit: 1 })).runs;
    if (run?.native_session_id !== undefined) return run.run_id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("The run did not start within 30 s.");
}

let keys = 0;

async function bareExchange(log: Log, socket: Socket): Promise<void> {
  const commit = () => {
    const row = { key: `bench/${++keys}`, body_hash: "0", made: "{}", created_at: Date.now() };
    return log.rows.write([{ do: "insert", table: "requests", row }]);
  };
  await commit();
  socket.write("x");
  await once(socket, "data");
  await commit();
}

/** Starts a process that sends back what it gets. */
async function startEcho(directory: string): Promise<{ socket: Socket; close(): Promise<void> }> {
  const file = path.join(directory, "echo.sock");
  const server = createServer();
  server.listen(file);
  await once(server, "listening");
  const program = `const s = require("node:net").connect(${JSON.stringify(file)}); s.on("data", (d) => s.write(d))`;
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore" });
  const ended = once(child, "exit");
  const [socket] = (await once(server, "connection")) as [Socket];
  return {
    socket,
    async close() {
      socket.destroy();
      server.close();
      await ended;
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
