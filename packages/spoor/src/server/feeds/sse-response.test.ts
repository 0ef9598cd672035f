import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { RouteCall } from "../http/route.ts";
import { createOpenStreams } from "./open-streams.ts";
import { openSseResponse, type SseResponse } from "./sse-response.ts";

/** Opens a stream to a client whose socket is paused. */
async function opened(onDrain: () => void): Promise<{ stream: SseResponse; socket: Socket; client: Socket }> {
  const streams = createOpenStreams({ max: 1, heartbeatMs: 60_000 });
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
  const stream = openSseResponse({ response } as RouteCall, streams, { onDrain, onClose() {} });
  await new Promise(setImmediate);
  return { stream, socket, client };
}

it("stops at the socket's high-water mark, and calls onDrain when the client has read", async () => {
  const drained = Promise.withResolvers<void>();
  const { stream, socket, client } = await opened(drained.resolve);
  const frames = Buffer.alloc(4_096, ":");
  while (stream.write(frames)) await new Promise(setImmediate);
  expect(socket.writableLength).toBeLessThanOrEqual(socket.writableHighWaterMark + frames.length);
  client.resume();
  await drained.promise;
  expect(socket.writableLength).toBe(0);
});
