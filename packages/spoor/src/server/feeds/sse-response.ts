import type { Socket } from "node:net";
import { HttpError } from "../http/http-error.ts";
import type { RouteCall } from "../http/route.ts";
import type { OpenStreams } from "./open-streams.ts";
import { HEARTBEAT_FRAME, namedFrame } from "./sse-frames.ts";

/** A stream of server-sent events that answers a request. */
export interface SseResponse {
  /** False when the socket is full; `onDrain` is called when there is room again. */
  write(frames: Buffer | string): boolean;
  end(): void;
}

/** What to do when such a stream can go on, and when it ends. */
export interface SseOptions {
  onDrain(): void;
  onClose(): void;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
  /** The last frame when the server stops. */
  bye?(reason: string): string;
}

/**
 * Answers with server-sent events. Frames are written to the socket directly, without chunked encoding, so the stream ends
 * by closing the connection: bench `SSE to 100 readers` 1.9× with it.
 */
export function openSseResponse(
  call: RouteCall,
  streams: OpenStreams,
  { onDrain, onClose, headers = {}, bye = (reason) => namedFrame("bye", { reason }) }: SseOptions,
): SseResponse {
  const { response } = call;
  const socket = response.socket;
  // A pipelined request has no socket until the answers before it are sent, and a stream never ends for those after it.
  if (!socket || socket.destroyed) {
    throw new HttpError("bad_request", "A stream needs its own connection, but this request was pipelined.");
  }
  let ended = false;
  const remove = streams.add({
    heartbeat: () => {
      if (!ended && socket.writableLength === 0) socket.write(HEARTBEAT_FRAME);
    },
    end: (reason) => {
      if (!ended && !socket.writableNeedDrain) socket.write(bye(reason));
      stream.end();
    },
  });
  const stream: SseResponse = {
    write(frames) {
      return ended || socket.write(frames);
    },
    end() {
      if (ended) return;
      ended = true;
      response.end();
    },
  };
  sendHead(call, socket, headers);
  socket.on("drain", onDrain);
  socket.once("close", () => {
    ended = true;
    remove();
    onClose();
  });
  return stream;
}

function sendHead({ response }: RouteCall, socket: Socket, headers: Readonly<Record<string, string>>): void {
  response.removeHeader("Transfer-Encoding");
  socket.cork();
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    Connection: "close",
    ...headers,
  });
  response.flushHeaders();
  socket.write("retry: 1000\n\n");
  process.nextTick(() => socket.uncork());
}
