import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Log } from "../../../src/log/log.ts";
import { openLog } from "../../../src/log/open.ts";
import { appendGolden } from "../../cli/logs.ts";
import { createPlace } from "../../cli/process.ts";
import { draft } from "../../log/drafts.ts";
import { type ServerProcess, startServer } from "../../server/server-process.ts";
import { ask, connect, httpTransport } from "./client.ts";
import { type McpProcess, startMcp } from "./processes.ts";

const place = createPlace("mcp");
let log: Log;
let run: string;
let own: McpProcess;
let server: ServerProcess;
let urls: Record<string, string>;
let token = "";

beforeAll(async () => {
  log = await openLog({ directory: place.data });
  run = await appendGolden(log, "success");
  [own, server] = await Promise.all([startMcp(place.data), startServer(place.data)]);
  urls = { "spoor mcp --http": own.url, "spoor serve": `${server.url}/v1/mcp` };
  token = readFileSync(path.join(place.data, "token"), "utf8").trim();
}, 60_000);
afterAll(async () => {
  await Promise.all([own.stop(), server.stop()]);
  await log.close();
  place.remove();
});

const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A request without a client. */
function send(
  url: string,
  method: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
) {
  return fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

async function beginSession(url: string): Promise<string> {
  const response = await send(url, "POST", { body: initialize });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

describe.each(["spoor mcp --http", "spoor serve"])("MCP over HTTP by %s", { timeout: 60_000 }, (name) => {
  const url = () => urls[name] ?? "";

  it("answers the official client, two of them at a time", async () => {
    const [one, two] = [
      await connect(httpTransport(url(), place.data)),
      await connect(httpTransport(url(), place.data)),
    ];
    const answers = await Promise.all(
      [one, two].flatMap((client) => [ask(client, "list_runs"), ask(client, "read_run", { run })]),
    );
    expect(answers).toMatchObject([
      { runs: [{ run_id: run }] },
      { run: { run_id: run } },
      { runs: [{}] },
      { is_over: true },
    ]);
    const { tools } = await one.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  });

  it("tells a client that a resource it watches has changed", async () => {
    const client = await connect(httpTransport(url(), place.data));
    const told = Promise.withResolvers<unknown>();
    const { ResourceUpdatedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.resolve(params));
    await client.subscribeResource({ uri: `spoor://runs/${run}` });
    await log.append([{ run_id: run, drafts: [draft("more")] }]);
    expect(await told.promise).toEqual({ uri: `spoor://runs/${run}` });
    await client.unsubscribeResource({ uri: `spoor://runs/${run}` });
  });

  it("refuses whoever has no token, another host, another site", async () => {
    expect((await send(url(), "POST", { body: initialize, headers: { authorization: "" } })).status).toBe(401);
    expect((await send(url(), "POST", { body: initialize, headers: { authorization: "Bearer wrong" } })).status).toBe(
      401,
    );
    expect((await send(url(), "GET", { headers: { authorization: "" } })).status).toBe(401);
    expect((await send(url(), "POST", { body: initialize, headers: { origin: "http://evil.example" } })).status).toBe(
      403,
    );
    expect((await send(url(), "POST", { body: initialize, headers: { "sec-fetch-site": "cross-site" } })).status).toBe(
      403,
    );
  });

  it("has sessions that end", async () => {
    const session = { "mcp-session-id": await beginSession(url()), "mcp-protocol-version": "2025-11-25" };
    const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
    expect((await send(url(), "POST", { body: ping, headers: session })).status).toBe(200);
    expect((await send(url(), "DELETE", { headers: session })).status).toBe(200);
    expect((await send(url(), "POST", { body: ping, headers: session })).status).toBe(404);
    expect((await send(url(), "GET", { headers: session })).status).toBe(404);
    expect((await send(url(), "DELETE", {})).status).toBe(400);
    expect((await send(url(), "POST", { body: ping, headers: { "mcp-session-id": "made-up" } })).status).toBe(404);
    expect((await send(url(), "POST", { body: ping })).status).toBe(400);
  });

  it("answers what is no message with an error, and goes on", async () => {
    const session = { "mcp-session-id": await beginSession(url()), "mcp-protocol-version": "2025-11-25" };
    for (const body of [
      "{",
      "null",
      '{"jsonrpc":"1.0"}',
      JSON.stringify({ ...initialize, pad: "x".repeat(5_000_000) }),
    ]) {
      const { status } = await send(url(), "POST", { body, headers: session });
      expect([400, 413], body.slice(0, 40)).toContain(status);
    }
    expect((await send(url(), "PUT", { body: {}, headers: session })).status).toBe(405);
    expect(
      (await send(url(), "POST", { body: { jsonrpc: "2.0", id: 3, method: "ping" }, headers: session })).status,
    ).toBe(200);
  });

  it("gives a client that comes back what it missed", async () => {
    const session = { "mcp-session-id": await beginSession(url()), "mcp-protocol-version": "2025-11-25" };
    const list = { jsonrpc: "2.0", id: 7, method: "tools/list" };
    const text = await (await send(url(), "POST", { body: list, headers: session })).text();
    const [, first = ""] = /^id: (.+)$/m.exec(text) ?? [];
    expect(text).toContain("retry: ");
    const again = await send(url(), "GET", {
      headers: { ...session, accept: "text/event-stream", "last-event-id": first },
    });
    expect(again.status).toBe(200);
    const reader = again.body?.pipeThrough(new TextDecoderStream()).getReader();
    let replayed = "";
    while (!replayed.includes('"id":7')) replayed += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    expect(replayed).toContain("list_runs");
  });
});

describe("spoor mcp --http", { timeout: 60_000 }, () => {
  it("serves MCP and nothing else", async () => {
    const { origin } = new URL(own.url);
    for (const target of ["/v1/runs", "/v1/tasks", "/", "/openapi.json"])
      expect((await send(origin + target, "GET")).status).toBe(404);
    expect(
      (await send(`${origin}/v1/tasks`, "POST", { body: { kind: "shell", command: "true", start: true } })).status,
    ).toBe(404);
  });

  it("ends on SIGINT and SIGTERM, and ends an open stream first", async () => {
    const ends = (["SIGINT", "SIGTERM"] as const).map(async (signal) => {
      const other = await startMcp(place.data);
      const session = { "mcp-session-id": await beginSession(other.url), "mcp-protocol-version": "2025-11-25" };
      const stream = await send(other.url, "GET", { headers: { ...session, accept: "text/event-stream" } });
      expect(stream.status).toBe(200);
      // A stream that has to be cut ends with an error.
      const ended = stream.text();
      expect(await other.stop(signal), signal).toBe(0);
      expect(await ended).toBe("");
    });
    await Promise.all(ends);
  });

  it("says so if its port is taken, and takes no flags that make no sense", async () => {
    const { port } = new URL(own.url);
    expect(await place.spoor(["mcp", "--http", "--port", port])).toMatchObject({
      code: 1,
      stderr: `The server cannot listen on port ${port}: another program uses it. Choose another port (--port).\n`,
    });
    expect(await place.spoor(["mcp", "--port", "1"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--http"),
    });
  });
});
