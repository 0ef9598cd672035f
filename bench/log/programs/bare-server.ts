// The floor: bare node:http that serves a file, a ready buffer, and events to every open stream.

import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { deltas, stamped } from "../events.ts";
import { answer } from "./answer.ts";
import { paced } from "./paced.ts";

const readers = new Set<ServerResponse>();
let ready = Buffer.alloc(0);
let file = "";

const server = createServer((request, response) => {
  if (request.url === "/file") {
    response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    createReadStream(file).pipe(response);
  } else if (request.url === "/buffer") {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": ready.length });
    response.end(ready);
  } else {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write("retry: 1000\n\n");
    readers.add(response);
    response.once("close", () => readers.delete(response));
  }
}).listen(0, "127.0.0.1");
await once(server, "listening");

let sequence = 0;
const envelope = {
  schema_version: "1",
  event_id: "evt_01K9ZC0000SP00R00000000000",
  run_id: "run_01K9ZC0000SP00R00000000000",
  task_id: "task_01K9ZC0000SP00R00000000000",
};
const frame = ({ type, timestamp, json }: { type: string; timestamp: number; json: string }): string => {
  sequence += 1;
  const occurred_at = new Date(timestamp).toISOString();
  return `id: ${sequence}\ndata: ${JSON.stringify({ ...envelope, sequence, occurred_at, type, data: JSON.parse(json) })}\n\n`;
};

/** Writes to every reader and resolves when all of them have drained. */
async function send(frames: Buffer): Promise<void> {
  const full = [...readers].filter((reader) => !reader.write(frames));
  await Promise.all(full.map((reader) => reader.writableNeedDrain && once(reader, "drain")));
}

answer({
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  hold(bytes: number) {
    ready = Buffer.alloc(bytes, "x");
  },
  serveFile(path: string) {
    file = path;
  },
  async append(_: string, events: number, commit: number, last: string) {
    for (let start = 0; start < events; start += commit) {
      await send(Buffer.from(deltas(commit, start).map(frame).join("")));
    }
    await send(Buffer.from(frame(stamped(last))));
  },
  pace: (_: string, seconds: number, perSecond: number, last: string) =>
    paced(seconds, perSecond, last, (note) => {
      const bytes = Buffer.from(frame(stamped(note)));
      for (const reader of readers) reader.write(bytes);
    }),
});
