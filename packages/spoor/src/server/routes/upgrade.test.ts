import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect, it } from "vitest";
import { serve, startRun, TOKEN } from "../../../testing/server/serve.ts";

/** Sends a request that offers an upgrade to HTTP/2, as Java's client and `curl --http2` do. */
async function offering(url: string, body?: string): Promise<{ status: number | undefined; text: string }> {
  const sent = request(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      connection: "Upgrade, HTTP2-Settings",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAAQCAAAAAAIAAAAA",
    },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text };
}

it("a client that offers HTTP/2 is answered in HTTP/1.1", async () => {
  const { server, log } = await serve();
  const run = await startRun(log);
  expect(await offering(`${server.url}/healthz`)).toMatchObject({ status: 200 });
  expect(await offering(`${server.url}/v1/runs/${run.run_id}`)).toMatchObject({ status: 200 });
  expect(await offering(`${server.url}/v1/runs/${run.run_id}/events`, '{"note":"x"}')).toMatchObject({ status: 201 });
});

it("a plain request to the WebSocket's path gets 426", async () => {
  const { get } = await serve();
  const response = await get("/v1/ws");
  expect([response.status, response.headers.get("upgrade")]).toEqual([426, "websocket"]);
  expect(await response.json()).toMatchObject({ error: { code: "upgrade_required" } });
});
