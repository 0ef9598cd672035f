import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect as dial } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { serve, startRun, TOKEN } from "../../testing/server/serve.ts";

/** A server that waits for what it should not wait for is still open when the test times out. */
const LONG_GRACE = 120_000;

it("a stopping server does not wait for an unused connection", async () => {
  const { server } = await serve();
  const socket = dial(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  // Once the server answers a later connection, it has accepted this one.
  await fetch(`${server.url}/healthz`);
  await server.close(LONG_GRACE);
});

it("a stopping server finishes and answers running requests, then closes every connection", async () => {
  const { server, log } = await serve();
  const run = await startRun(log);
  const agent = new Agent({ keepAlive: true });
  const sent = request(`${server.url}/v1/runs/${run.run_id}/events`, {
    agent,
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "content-length": 12 },
  });
  sent.write('{"note"');
  await fetch(`${server.url}/healthz`);
  const closed = server.close(LONG_GRACE);
  sent.end(':"x"}');
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect([response.statusCode, JSON.parse(await text(response))]).toMatchObject([201, { sequence: 1 }]);
  expect((await log.run(run.run_id))?.last_sequence).toBe(1);
  await closed;
  agent.destroy();
});
