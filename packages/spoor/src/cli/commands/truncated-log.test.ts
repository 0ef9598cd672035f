import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../../../testing/cli/run.ts";
import { createRun } from "../../../testing/log/drafts.ts";
import { firstLine } from "../../../testing/process/first-line.ts";
import { liveFrames } from "../../../testing/server/sse-reader.ts";
import { openLogSync } from "../../log/open.ts";
import { logFile } from "../../log/sqlite/connection.ts";

const program = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));

it("reports a lost end of the write-ahead log, also after the next commit, and uses no sequence twice", {
  timeout: 60_000,
}, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-lost-end-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const log = openLogSync({ directory });
  const run_id = await createRun(log, 3);
  await log.close();

  const first = await serve(directory);
  const receipts = [];
  const lengths = [];
  for (let number = 0; number < 20; number++) {
    receipts.push(await first.post(run_id, `note ${number}`));
    lengths.push(statSync(`${logFile(directory)}-wal`).size);
  }
  await first.kill();
  // Half of the acknowledged events are lost, as after a power loss.
  truncateSync(`${logFile(directory)}-wal`, lengths[9] as number);

  const second = await serve(directory);
  const next = await second.post(run_id, "after the loss");
  expect(next).toMatchObject({ sequence: 23 });
  expect(next.position).toBeGreaterThan(receipts[19]?.position as number);
  // Readers that had seen some of the lost events, all of them, or a later position.
  for (const after of [13, 17, 22, 99]) expect([after, await second.resume(run_id, after)]).toEqual([after, "gap"]);
  for (const after of [5, 12, 23]) {
    expect([after, await second.resume(run_id, after)]).toEqual([after, after === 12 ? "gap" : "ok"]);
  }
  for (const { position } of receipts.slice(12)) {
    expect([position, await second.resume(undefined, position)]).toEqual([position, "gap"]);
  }
  await second.stop();

  const events = await run(["events", "--run", run_id, "--json", "--data", directory]);
  const lines = events.stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line)).slice(-2)).toMatchObject([
    {
      type: "gap.events_lost",
      sequence: 22,
      data: { first_lost_sequence: 13, last_lost_sequence: 22, reason: "truncated" },
    },
    { type: "external.event", sequence: 23, data: { note: "after the loss" } },
  ]);
  expect((await run(["events", "--run", run_id, "--json", "--data", directory])).stdout).toBe(events.stdout);
  const verdict = await run(["verify", "--data", directory]);
  expect([verdict.code, verdict.stdout]).toEqual([1, expect.stringContaining(`${run_id} 13 to 22: truncated`)]);
  const bundle = path.join(directory, "run.jsonl");
  expect((await run(["export", run_id, "-o", bundle, "--data", directory])).code).toBe(0);
  const file = await run(["verify", "--file", bundle]);
  expect(file.stdout).toBe("Events up to sequence 22 were lost before the export.\n");
});

async function serve(directory: string) {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--json", "--data", directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => end(child, "SIGKILL"));
  const { url } = JSON.parse(await firstLine(child.stdout));
  const authorization = `Bearer ${readFileSync(path.join(directory, "token"), "utf8").trim()}`;
  return {
    async post(run_id: string, note: string): Promise<{ sequence: number; position: number }> {
      const headers = { authorization, "content-type": "application/json" };
      const response = await fetch(`${url}/v1/runs/${run_id}/events`, {
        method: "POST",
        headers,
        body: JSON.stringify({ note }),
      });
      expect(response.status).toBe(201);
      return (await response.json()) as { sequence: number; position: number };
    },
    async resume(run_id: string | undefined, after: number): Promise<unknown> {
      const target = run_id === undefined ? "/v1/events/stream" : `/v1/runs/${run_id}/events`;
      const headers = { authorization, accept: "text/event-stream", "last-event-id": String(after) };
      for await (const { data } of liveFrames(await fetch(url + target, { headers }))) return JSON.parse(data).status;
      return undefined;
    },
    kill: () => end(child, "SIGKILL"),
    stop: () => end(child, "SIGTERM"),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if ((child.exitCode ?? child.signalCode) !== null) return;
  child.kill(signal);
  await once(child, "exit");
}
