// A client for measurements: it reads whole answers and holds streams open.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { answer } from "./answer.ts";

const streams = new Map<Socket, { seen: Set<string>; tail: string }>();
let latencies: number[] = [];
let waiting: { note: string; resolve(): void } | undefined;

answer({
  /** Opens streams. Every `sampled`th stream records the latency of each event. */
  async open(url: string, path: string, token: string, count: number, sampled: number) {
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const socket = await request(url, path, token, "text/event-stream");
        const stream = { seen: new Set<string>(), tail: "" };
        streams.set(socket, stream);
        const isSampled = index % sampled === 0;
        socket.on("data", (chunk) => {
          if (isSampled) note(chunk);
          look(stream, chunk);
        });
        socket.once("close", () => streams.delete(socket));
        await once(socket, "data");
      }),
    );
  },
  /** Opens streams and never reads from them. */
  async stall(url: string, path: string, token: string, count: number) {
    for (let opened = 0; opened < count; opened++) {
      const socket = await request(url, path, token, "text/event-stream");
      await once(socket, "readable");
      socket.read(1);
    }
  },
  /** Resolves when every stream has received the event with this note. */
  async until(note: string) {
    const isDone = () => [...streams.values()].every(({ seen }) => seen.has(note));
    if (!isDone()) await new Promise<void>((resolve) => (waiting = { note, resolve }));
  },
  /** Returns the recorded latencies in microseconds and forgets them. */
  latencies() {
    const found = latencies;
    latencies = [];
    return found;
  },
  close() {
    for (const socket of streams.keys()) socket.destroy();
  },
  /** Reads one answer to its end and returns the number of bytes. */
  async get(url: string, path: string, token: string, accept: string) {
    const socket = await request(url, path, token, accept);
    let bytes = 0;
    socket.on("data", (chunk) => (bytes += chunk.length));
    await once(socket, "end");
    return bytes;
  },
  /** Requests the paths repeatedly on a few connections. */
  async load(url: string, paths: string[], token: string, connections: number, body?: string) {
    const queue = [...paths];
    await Promise.all(Array.from({ length: connections }, () => drive(url, queue, token, body)));
  },
});

async function request(url: string, path: string, token: string, accept: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`,
  );
  return socket;
}

/** Sends one request after another on one connection. To stay cheap, it relies on answers with a Content-Length. */
async function drive(url: string, queue: string[], token: string, body?: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const common = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
  const rest =
    body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const method = body === undefined ? "GET" : "POST";
  let missing = 0;
  let head = "";
  const next = () => {
    const path = queue.pop();
    if (path === undefined) socket.end();
    else socket.write(`${method} ${path} HTTP/1.1\r\n${common}${rest}\r\n${body ?? ""}`);
  };
  socket.on("data", (chunk) => {
    if (missing > 0) missing -= chunk.length;
    else {
      head += chunk.toString("latin1", 0, 2_000);
      const end = head.indexOf("\r\n\r\n");
      if (end === -1) return;
      if (!/^HTTP\/1\.1 20[0-9]/.test(head)) throw new Error(head);
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (chunk.length - end - 4);
      head = "";
    }
    if (missing === 0) next();
  });
  await once(socket, "connect");
  next();
  await once(socket, "close");
}

function look(stream: { seen: Set<string>; tail: string }, chunk: Buffer): void {
  stream.tail = (stream.tail + chunk.toString("latin1", Math.max(0, chunk.length - 400))).slice(-400);
  if (!waiting || stream.seen.has(waiting.note) || !stream.tail.includes(`"${waiting.note}"`)) return;
  stream.seen.add(waiting.note);
  if ([...streams.values()].every(({ seen }) => seen.has(waiting?.note ?? ""))) {
    waiting.resolve();
    waiting = undefined;
  }
}

function note(chunk: Buffer): void {
  const now = Number(process.hrtime.bigint() / 1_000n);
  for (let at = chunk.indexOf(AT); at !== -1; at = chunk.indexOf(AT, at + 1)) {
    const sent = Number.parseInt(chunk.toString("latin1", at + AT.length, at + AT.length + 20), 10);
    if (sent > 0) latencies.push(now - sent);
  }
}

const AT = '"at":';
