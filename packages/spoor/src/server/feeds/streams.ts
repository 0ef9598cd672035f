import type { Socket } from "node:net";
import { HttpError } from "../http/errors.ts";
import type { Call } from "../http/route.ts";
import { heartbeat, namedFrame } from "./frames.ts";

/** Something that stays open: it is kept alive while it is idle, and told when the server stops. */
export interface Open {
  beat(): void;
  bye(reason: string): void;
}

export interface Streams {
  readonly size: number;
  /** Throws when there are too many, or when the server is stopping. Returns how to leave. */
  enter(open: Open): () => void;
  close(reason: string): void;
}

export function createStreams({ most, beatEvery }: { most: number; beatEvery: number }): Streams {
  const open = new Set<Open>();
  let closed = false;
  const timer = setInterval(() => {
    for (const one of open) one.beat();
  }, beatEvery).unref();

  return {
    get size() {
      return open.size;
    },
    enter(one) {
      if (closed) throw new HttpError("shutting_down", "The server is stopping.");
      if (open.size >= most) throw new HttpError("too_many_streams", `There are ${most} streams already.`);
      open.add(one);
      return () => open.delete(one);
    },
    close(reason) {
      closed = true;
      clearInterval(timer);
      for (const one of [...open]) one.bye(reason);
    },
  };
}

export interface EventStream {
  /** False when the socket has enough for now; `onDrain` tells when it has room again. */
  write(frames: Buffer | string): boolean;
  end(): void;
}

/**
 * Answers with server-sent events. The frames go to the socket as they are: no response object and no chunked encoding
 * in between, whose work would be done again for every reader. The end of the stream is the end of the connection.
 */
export function openEventStream(
  call: Call,
  streams: Streams,
  { onDrain, onClose }: { onDrain(): void; onClose(): void },
): EventStream {
  const { response } = call;
  const socket = response.socket;
  // Gone, or one of several requests sent ahead on a connection: those wait for each other, and a stream does not end.
  if (!socket || socket.destroyed) throw new HttpError("bad_request", "A stream needs a connection of its own.");
  let ended = false;
  const leave = streams.enter({
    beat: () => {
      if (!ended && socket.writableLength === 0) socket.write(heartbeat);
    },
    bye: (reason) => {
      if (!ended && !socket.writableNeedDrain) socket.write(namedFrame("bye", { reason }));
      stream.end();
    },
  });
  const stream: EventStream = {
    write(frames) {
      if (ended) return true;
      const hasRoom = socket.write(frames);
      // What the system does not take at once is enough to wait for: nothing is queued behind it.
      if (socket.writableLength === 0 || socket.writableCorked > 0) return hasRoom;
      if (hasRoom) socket.write("", onDrain);
      return false;
    },
    end() {
      if (ended) return;
      ended = true;
      response.end();
    },
  };
  start(call, socket);
  socket.on("drain", onDrain);
  socket.once("close", () => {
    ended = true;
    leave();
    onClose();
  });
  return stream;
}

function start({ response }: Call, socket: Socket): void {
  response.removeHeader("Transfer-Encoding");
  socket.cork();
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    Connection: "close",
  });
  response.flushHeaders();
  socket.write("retry: 1000\n\n");
  process.nextTick(() => socket.uncork());
}
