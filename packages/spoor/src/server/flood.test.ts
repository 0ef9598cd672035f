import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startRun } from "../../testing/server/serve.ts";
import { type ServerProcess, startServer } from "../../testing/server/server-process.ts";
import { liveFrames } from "../../testing/server/sse-reader.ts";
import { openLogSync } from "../log/open.ts";
import { openFileLimit } from "./http/open-file-limit.ts";

/** What clients without the token send before they leave the connection open. */
const attacks: Record<string, (host: string) => string | undefined> = {
  "nothing at all": () => undefined,
  "half of the headers": (host) => `GET /v1/runs HTTP/1.1\r\nHost: ${host}\r\nX-More: `,
  "half of a body": (host) => `POST /v1/runs/run_x/events HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9000\r\n\r\n{`,
  "a request that needs no token": (host) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  "a request that needs the token": (host) => `GET /v1/runs HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  "an upgrade to a WebSocket": (host) =>
    `GET /v1/ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  "something that is not HTTP": () => "\x16\x03\x01\x02\x00\r\n\r\n",
};

it.skipIf(process.platform === "win32")(
  "clients with the token are answered and streams continue while others fill every connection of a server with 512 descriptors",
  { timeout: 180_000 },
  async () => {
    const victim = await startVictim({ descriptors: 512 });
    for (const attack of Object.keys(attacks)) {
      victim.attack(attack, 700);
      await victim.expectAnswers(20);
    }
    victim.trickle(300);
    await victim.expectAnswers(20);
    await victim.expectRecovery();
  },
);

it("a flood of 5,200 connections without the token does not lock the owner out and is cleared within seconds", {
  timeout: 180_000,
}, async () => {
  const most = Math.min(5_200, openFileLimit() - 1_000);
  const victim = await startVictim({});
  const kinds = Object.keys(attacks);
  for (const kind of kinds) await victim.attack(kind, Math.ceil(most / kinds.length));
  await victim.expectAnswers(50);
  await victim.expectRecovery();
});

it("a new connection gets 503 when all connections belong to trusted clients", { timeout: 60_000 }, async () => {
  // A server that may open few files accepts 8 connections: six streams and two more.
  const victim = await startVictim({ descriptors: 128 });
  const held: Socket[] = [];
  for (let index = 0; index < 5; index++) held.push(await victim.hold("/v1/events/stream", "text/event-stream"));
  // Trusted connections in the middle of a request.
  for (let index = 0; index < 2; index++) held.push(await victim.hold("/v1/runs/run_x/events", "application/json"));
  const refused = await victim.raw(`GET /v1/runs HTTP/1.1\r\nHost: ${victim.host}\r\n\r\n`);
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toContain('"code":"server_full"');
  for (const socket of held) socket.destroy();
});

it("a request with incomplete headers gets 408", { timeout: 60_000 }, async () => {
  const victim = await startVictim({});
  const answer = await victim.raw(`GET /v1/runs HTTP/1.1\r\nHost: ${victim.host}\r\nX-More: `);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"code":"request_timeout"');
});

it("a connection that pipelines more than 16 requests is closed unless it sent the token", {
  timeout: 60_000,
}, async () => {
  const victim = await startVictim({});
  const answersTo = async (message: string): Promise<number> =>
    (await victim.raw(message)).split("HTTP/1.1 200").length - 1;
  const ask = (more: string) => `GET /healthz HTTP/1.1\r\nHost: ${victim.host}\r\n${more}\r\n`;
  expect(await answersTo(ask("").repeat(1_000) + ask("Connection: close\r\n"))).toBeLessThan(100);
  const trusted = `GET /v1/runs HTTP/1.1\r\nHost: ${victim.host}\r\nAuthorization: ${victim.authorization}\r\n\r\n`;
  expect(await answersTo(trusted + ask("").repeat(1_000) + ask("Connection: close\r\n"))).toBe(1_002);
});

/** A server process with a live stream of its owner, and attacks on it. */
async function startVictim(options: { descriptors?: number }) {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-flood-"));
  const sockets = new Set<Socket>();
  const log = openLogSync({ directory });
  const server = await startServer(directory, options);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
    await log.close();
    await rm(directory, { recursive: true, maxRetries: 5 });
  });
  const { host, port } = new URL(server.url);
  const authorization = `Bearer ${(await readFile(path.join(directory, "token"), "utf8")).trim()}`;
  const run = await startRun(log);
  const response = await fetch(`${server.url}/v1/runs/${run.run_id}/events`, {
    headers: { authorization, accept: "text/event-stream" },
  });
  const frames = liveFrames(response);
  onTestFinished(() => void frames.return(undefined));
  while ((await frames.next()).value?.id !== "0");
  const before = server.usage();

  function open(): Socket {
    // The attacker never closes a connection itself.
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    sockets.add(socket);
    return socket.on("error", () => {}).resume();
  }
  const hold = async (target: string, accept: string): Promise<Socket> => {
    const socket = open();
    const type = accept === "application/json" ? "POST" : "GET";
    const more = type === "POST" ? "Content-Type: application/json\r\nContent-Length: 99\r\n" : "";
    socket.write(
      `${type} ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nAccept: ${accept}\r\n${more}\r\n`,
    );
    await (type === "GET" ? once(socket, "data") : sleep(200));
    return socket;
  };

  return {
    host,
    authorization,
    hold,
    attack(name: string, count: number): Promise<unknown> {
      const said = attacks[name]?.(host);
      const opened = Array.from({ length: count }, async () => {
        const socket = open();
        await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
        if (said !== undefined) socket.write(said, "latin1");
      });
      return Promise.all(opened);
    },
    /** Sends a request byte by byte on several connections. */
    trickle(count: number): void {
      const request = `GET /v1/runs HTTP/1.1\r\nHost: ${host}\r\nX-More: ${"x".repeat(1_000)}\r\n\r\n`;
      const slow = Array.from({ length: count }, open);
      let index = 0;
      const timer = setInterval(() => {
        for (const socket of slow) if (socket.writable) socket.write(request.charAt(index));
        index += 1;
      }, 100);
      onTestFinished(() => clearInterval(timer));
    },
    async raw(message: string): Promise<string> {
      const socket = open();
      socket.write(message);
      // The server may reset the connection; what was received until then is returned.
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      await Promise.race([once(socket, "end"), once(socket, "close")]).catch(() => {});
      return Buffer.concat(chunks).toString();
    },
    /** Checks that new connections with the token are answered and that the live stream delivers new events. */
    async expectAnswers(count: number): Promise<void> {
      for (let index = 0; index < count; index++) {
        expect(await statusOf(`${server.url}/v1/runs?limit=1`, authorization)).toBe(200);
      }
      const { last_sequence } = await run.add(1);
      expect((await frames.next()).value?.id).toBe(`${last_sequence}`);
    },
    /** Checks that the server closes all connections of the attackers. */
    expectRecovery: () => expectRecovery(server, before),
  };
}

async function expectRecovery(server: ServerProcess, before: ReturnType<ServerProcess["usage"]>): Promise<void> {
  if (!before) return;
  await expect
    .poll(() => (server.usage()?.descriptors ?? 0) - before.descriptors, { timeout: 60_000 })
    .toBeLessThan(10);
  expect((server.usage()?.memory ?? 0) - before.memory).toBeLessThan(300_000_000);
}

/** Sends a request on a new connection. */
function statusOf(url: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, headers: { authorization } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
