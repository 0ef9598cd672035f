import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Call } from "../http/route.ts";
import { createStreams, type EventStream, openEventStream } from "./streams.ts";

/** A stream to a client that reads nothing until it is told to. */
async function opened(onDrain: () => void): Promise<{ stream: EventStream; socket: Socket; client: Socket }> {
  const streams = createStreams({ most: 1, beatEvery: 60_000 });
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  onTestFinished(async () => {
    client.destroy();
    streams.close("over");
    await new Promise((resolve) => server.close(resolve));
  });
  const socket = response.socket as Socket;
  const stream = openEventStream({ response } as Call, streams, { onDrain, onClose() {} });
  await new Promise(setImmediate);
  return { stream, socket, client };
}

it("queues nothing behind what the system has not taken, and tells when that has gone", async () => {
  const drained = Promise.withResolvers<void>();
  const { stream, socket, client } = await opened(drained.resolve);
  const frames = Buffer.alloc(4_096, ":");
  while (stream.write(frames)) await new Promise(setImmediate);
  expect(socket.writableLength).toBeLessThanOrEqual(frames.length);
  client.resume();
  await drained.promise;
  expect(socket.writableLength).toBe(0);
});
