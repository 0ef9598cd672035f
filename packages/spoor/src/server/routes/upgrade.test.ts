import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { serve, startRun, TOKEN } from "../../../testing/server/serve.ts";
import { refused } from "../../../testing/server/test-websocket.ts";
import type { Route } from "../http/route.ts";

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

describe("a further route with an upgrade", () => {
  const noted: string[] = [];
  let loads = 0;
  const echo: Route = {
    method: "GET",
    path: "/v1/echo/{word}",
    operation: "openEcho",
    summary: "Say it again",
    answers: { 101: { description: "The connection is a WebSocket from here on." } },
    upgrade: {
      maxMessageBytes: 100,
      async load() {
        loads += 1;
        return (socket) => ({
          receive: (message) => socket.send(message ?? "binary", {}),
          end: (reason) => socket.send(`last words ${reason}`, {}),
          close: () => noted.push("closed"),
        });
      },
    },
  };
  const open = async (url: string) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/echo/x`, [`bearer.${TOKEN}`]);
    const messages: string[] = [];
    socket.on("message", (message) => messages.push(String(message)));
    await once(socket, "open");
    return { socket, messages };
  };

  it("is checked as every request is, and described", async () => {
    const { server, get } = await serve({ routes: () => [echo] });
    expect(loads).toBe(0);
    expect((await get("/v1/echo/x")).status).toBe(426);
    const path = "/v1/echo/x";
    expect(await refused(server.url, [], {}, path)).toBe(401);
    expect(await refused(server.url, [`bearer.${TOKEN}`], { origin: "http://elsewhere.example" }, path)).toBe(403);
    expect(await refused(server.url, [`bearer.${TOKEN}`], {}, "/v1/runs")).toBe(404);
    expect(loads).toBe(0);
    const one = await open(server.url);
    expect(one.socket.protocol).toBe(`bearer.${TOKEN}`);
    one.socket.send("hello");
    await expect.poll(() => one.messages).toEqual(["hello"]);
    expect(await (await get("/docs")).text()).toContain("<code>/v1/ws</code> and <code>/v1/echo/{word}</code>");
    one.socket.terminate();
    await expect.poll(() => noted.at(-1)).toBe("closed");
  });

  it.each([
    ["the client sends too much", 1009, (socket: WebSocket) => socket.send("x".repeat(200)), "message_too_large"],
    ["the server stops", 1001, (_: WebSocket, stop: () => void) => stop(), "shutting_down"],
    ["the client closes it", 1000, (socket: WebSocket) => socket.close(1000), ""],
  ])("may say its last words before the connection closes because %s", async (_, code, act, reason) => {
    const { server } = await serve({ routes: () => [echo] });
    const { socket, messages } = await open(server.url);
    const closed = once(socket, "close");
    act(socket, () => void server.close());
    expect((await closed)[0]).toBe(code);
    expect(messages).toEqual([`last words ${reason}`]);
  });
});
