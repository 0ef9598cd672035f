import { HttpError } from "../http/http-error.ts";

/** A stream or WebSocket that stays open. */
export interface OpenStream {
  /** Called regularly: sends a sign of life if the stream is idle. */
  heartbeat(): void;
  /** The server stops: sends the reason and ends. */
  end(reason: string): void;
}

/** The open SSE and WebSocket streams of a server. */
export interface OpenStreams {
  readonly size: number;
  /** Throws when there are too many streams, or when the server is stopping. Returns a function that removes the stream. */
  add(stream: OpenStream): () => void;
  close(reason: string): void;
}

/** Keeps all open streams alive, and ends them when the server stops. */
export function createOpenStreams({ max, heartbeatMs }: { max: number; heartbeatMs: number }): OpenStreams {
  const streams = new Set<OpenStream>();
  let closed = false;
  const timer = setInterval(() => {
    for (const stream of streams) stream.heartbeat();
  }, heartbeatMs).unref();

  return {
    get size() {
      return streams.size;
    },
    add(stream) {
      if (closed) throw new HttpError("shutting_down", "The server is stopping.");
      if (streams.size >= max) {
        throw new HttpError("too_many_streams", `The server already has ${max} open streams, which is its limit.`);
      }
      streams.add(stream);
      return () => streams.delete(stream);
    },
    close(reason) {
      closed = true;
      clearInterval(timer);
      for (const stream of [...streams]) stream.end(reason);
    },
  };
}
