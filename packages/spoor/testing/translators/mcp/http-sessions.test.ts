import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpServer } from "../../../src/translators/mcp/server.ts";
import { createHttpSessions, type HttpSessionsOptions } from "../../../src/translators/mcp/transports/http-sessions.ts";
import { temporaryLog } from "../../runtime/temporary-log.ts";

async function serveSessions(options: Omit<HttpSessionsOptions, "createServer">) {
  const { log, directory } = temporaryLog();
  const sessions = createHttpSessions({
    createServer: () => createMcpServer({ log: async () => log, directory }, { version: "0.0.0", onFault: () => {} }),
    ...options,
  });
  const server = createServer((request, response) => void sessions.handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    await sessions.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
  const begin = async (): Promise<string> => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const response = await post({ method: "initialize", params });
    await response.text();
    return response.headers.get("mcp-session-id") ?? "";
  };
  const ping = async (id: string): Promise<number> => {
    const response = await post({ method: "ping" }, { "mcp-session-id": id });
    await response.text();
    return response.status;
  };
  return { sessions, begin, ping, post };
}

describe("sessions of MCP over HTTP", () => {
  it("are limited: the one that was idle for longest ends for a new one", async () => {
    const { sessions, begin, ping } = await serveSessions({ maxSessions: 2 });
    const [first, second] = [await begin(), await begin()];
    expect(await ping(first)).toBe(200);
    const third = await begin();
    expect(sessions.size).toBe(2);
    expect([await ping(first), await ping(second), await ping(third)]).toEqual([200, 404, 200]);
  });

  it("end when nobody uses them", async () => {
    const { sessions, begin, ping } = await serveSessions({ idleMs: 20 });
    const id = await begin();
    await expect.poll(() => sessions.size).toBe(0);
    expect(await ping(id)).toBe(404);
  });

  it("do not begin with another message than initialize", async () => {
    const { sessions, post } = await serveSessions({});
    for (let index = 0; index < 5; index += 1) expect((await post({ method: "tools/list" })).status).toBe(400);
    expect(sessions.size).toBe(0);
  });
});
