import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, connect as dial } from "node:net";
import { EventSource } from "eventsource";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, startRun, stored, TOKEN } from "../../../testing/server/serve.ts";
import { createSseReader } from "../../../testing/server/sse-reader.ts";
import type { ServerMessage } from "../../../testing/server/test-websocket.ts";
import type { ServerOptions } from "../server.ts";

/** A proxy that cuts each connection after a given number of bytes of the answer. */
async function cutter(bytes: number): Promise<{ host: string; forwardTo(url: string): void }> {
  let port = 0;
  const server = createTcpServer((client) => {
    const upstream = dial(port, "127.0.0.1");
    let left = bytes;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      if (left > 0) client.write(data.subarray(0, left));
      left -= data.length;
      if (left <= 0) client.end(end);
    });
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(url) {
      port = Number(new URL(url).port);
    },
  };
}

const EVENTS = 200;

/** A finished run of 200 events and the bytes of its stream. */
async function finishedRun(options: Partial<ServerOptions> = {}) {
  const served = await serve(options);
  const run = await startRun(served.log, EVENTS - 1);
  await run.finish();
  const lines = (await stored(served.log, run.run_id)).trimEnd().split("\n");
  return { ...served, run, lines };
}

describe("an SSE stream that is cut", () => {
  it("at any byte resumes and delivers each event exactly once", async () => {
    const { run, lines, get } = await finishedRun();
    const target = `/v1/runs/${run.run_id}/events`;
    const whole = Buffer.from(await (await get(target, { accept: "text/event-stream" })).arrayBuffer());
    // Only the reader's cursor survives a cut, so one answer for each cursor covers all offsets.
    const rests = await Promise.all(
      Array.from({ length: EVENTS }, async (_, cursor) => {
        const response = await get(target, { accept: "text/event-stream", "last-event-id": `${cursor}` });
        return response.status === 204 ? [] : events(await response.text());
      }),
    );
    const seen = incremental(whole);
    for (let offset = 0; offset <= whole.length; offset++) {
      const { count, cursor } = seen(offset);
      const rest = cursor === undefined ? lines : (rests[cursor] as string[]);
      if (count + rest.length !== EVENTS || (rest.length > 0 && rest[0] !== lines[count])) {
        expect({ offset, count, rest: rest[0] }).toEqual({ offset, count, rest: lines[count] });
      }
    }
    for (const [cursor, rest] of rests.entries()) expect(rest).toEqual(lines.slice(cursor + 1));
  });

  it("is read completely by an independent client that reconnects", async () => {
    const through = await cutter(25_000);
    const { run, lines, server } = await finishedRun({ allowedHosts: [through.host] });
    through.forwardTo(server.url);
    const seen: string[] = [];
    let connections = 0;
    const source = new EventSource(`http://${through.host}/v1/runs/${run.run_id}/events`, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${TOKEN}` } }),
    });
    source.addEventListener("resume", () => {
      connections += 1;
    });
    source.addEventListener("message", ({ data }) => seen.push(data));
    // It reconnects after every cut, and stops only at the answer 204.
    await new Promise<void>((resolve) => {
      source.addEventListener("error", () => source.readyState === source.CLOSED && resolve());
    });
    expect(connections).toBeGreaterThan(1);
    expect(seen).toEqual(lines);
  });
});

describe("a WebSocket that is cut", () => {
  it("at any byte resumes and delivers each event exactly once", async () => {
    const { run, lines, server } = await finishedRun();
    const whole = await received(server.url, run.run_id, -1);
    const rests = new Map<number, string[]>();
    for (let offset = 0; offset <= whole.bytes.length; offset++) {
      const messages = whole.messages.filter(({ end }) => end <= offset).map(({ message }) => message);
      const cursor = messages.findLast(({ type }) => type === "events")?.next_after_sequence ?? -1;
      const rest = rests.get(cursor) ?? envelopes((await received(server.url, run.run_id, cursor)).messages);
      rests.set(cursor, rest);
      const all = [...messages.flatMap(textsOf), ...rest];
      if (all.length !== EVENTS || all[0] !== lines[0] || all.at(-1) !== lines.at(-1)) expect(all).toEqual(lines);
    }
    expect(envelopes(whole.messages)).toEqual(lines);
    for (const [cursor, rest] of rests) expect(rest).toEqual(lines.slice(cursor + 1));
  });
});

describe("every transport", () => {
  it("delivers the same bytes", async () => {
    const { run, lines, get, server } = await finishedRun();
    const target = `/v1/runs/${run.run_id}/events`;
    const list = await (await get(`${target}?limit=500`)).text();
    const bulk = await (await get(target, { accept: "application/x-ndjson" })).text();
    const sse = events(await (await get(target, { accept: "text/event-stream" })).text());
    const ws = envelopes((await received(server.url, run.run_id, -1)).messages);
    expect(bulk).toBe(`${lines.join("\n")}\n`);
    expect(list).toContain(`[${lines.join(",")}]`);
    expect(sse).toEqual(lines);
    expect(ws).toEqual(lines);
  });
});

const events = (text: string): string[] =>
  createSseReader()
    .feed(text)
    .flatMap(({ event, data }) => (event === "message" ? [data] : []));

/** Returns how many events a reader has seen after a number of bytes, and its cursor. Call it with rising offsets. */
function incremental(bytes: Buffer): (offset: number) => { count: number; cursor: number | undefined } {
  const reader = createSseReader();
  const decoder = new TextDecoder();
  let read = 0;
  let count = 0;
  let cursor: number | undefined;
  return (offset) => {
    for (const frame of reader.feed(decoder.decode(bytes.subarray(read, offset), { stream: true }))) {
      if (frame.event === "message") count += 1;
      if (frame.id !== undefined) cursor = Number(frame.id);
    }
    read = offset;
    return { count, cursor };
  };
}

interface Received {
  message: ServerMessage;
  text: string;
  /** Bytes received when it was complete. */
  end: number;
}

/** Everything a WebSocket receives until the run's end. Frames are parsed by hand, to know the last byte of each. */
async function received(url: string, run_id: string, after_sequence: number) {
  const { port } = new URL(url);
  const socket = dial(Number(port), "127.0.0.1");
  const mask = Buffer.alloc(4);
  const send = (text: string) => {
    const payload = Buffer.from(text);
    socket.write(
      Buffer.concat([Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255]), mask, payload]),
    );
  };
  socket.write(
    `GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: bearer.${TOKEN}\r\n\r\n`,
  );
  send(JSON.stringify({ type: "subscribe", id: "s", run_id, after_sequence }));
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    const messages = messagesIn(bytes);
    if (messages.at(-1)?.message.type === "end") return { bytes, messages };
  }
  throw new Error("The socket closed before the end.");
}

function messagesIn(bytes: Buffer): Received[] {
  const messages: Received[] = [];
  let offset = bytes.indexOf("\r\n\r\n") + 4;
  if (offset === 3) return [];
  while (offset + 2 <= bytes.length) {
    const short = (bytes[offset + 1] as number) & 127;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (offset + head > bytes.length) break;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(offset + 2) : Number(bytes.readBigUInt64BE(offset + 2));
    const end = offset + head + length;
    if (end > bytes.length) break;
    const text = bytes.toString("utf8", offset + head, end);
    messages.push({ message: JSON.parse(text) as ServerMessage, text, end });
    offset = end;
  }
  return messages;
}

/** Parsing and stringifying a stored envelope gives the same text, which the comparison of transports relies on. */
const textsOf = (message: ServerMessage): string[] =>
  (message.events ?? []).map((envelope) => JSON.stringify(envelope));
const envelopes = (messages: readonly Received[]): string[] => messages.flatMap(({ message }) => textsOf(message));
