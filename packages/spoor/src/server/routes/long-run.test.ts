import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { draft, startRun } from "../../../testing/server/serve.ts";
import { startServer } from "../../../testing/server/server-process.ts";
import { openLogSync } from "../../log/open.ts";

const EVENTS = 120_000;

it.each([
  ["the state of", "stream", "text/event-stream"],
  ["all events as SSE of", "events", "text/event-stream"],
  ["all events as NDJSON of", "events", "application/x-ndjson"],
])(
  "a server that reads %s a long run keeps answering other requests",
  { timeout: 120_000 },
  async (_, target, accept) => {
    const { url, run_id, authorization } = await servedRun();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    let isDone = false;
    const reading = request(`${url}/v1/runs/${run_id}/${target}`, { headers: { authorization, accept } }).then(
      async (response) => {
        let bytes = 0;
        for await (const chunk of response) bytes += chunk.length;
        isDone = true;
        return bytes;
      },
    );
    let answers = 0;
    for (; !isDone; answers++) (await request(`${url}/healthz`, { agent })).resume();
    expect(await reading).toBeGreaterThan(1_000);
    // If the run were read in one turn of the event loop, almost none would be answered.
    expect(answers).toBeGreaterThan(5);
  },
);

async function servedRun() {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-long-"));
  const log = openLogSync({ directory });
  const run = await startRun(log, 2);
  for (let count = 2; count < EVENTS; count += 1_000) await run.add(998, draft("acme.said"), draft("acme.done"));
  await run.finish();
  await log.close();
  const server = await startServer(directory);
  onTestFinished(async () => {
    await server.stop();
    await rm(directory, { recursive: true, maxRetries: 5 });
  });
  const token = (await readFile(path.join(directory, "token"), "utf8")).trim();
  return { url: server.url, run_id: run.run_id, authorization: `Bearer ${token}` };
}

const request = (url: string, options: object): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void get(url, options, resolve).on("error", reject));
