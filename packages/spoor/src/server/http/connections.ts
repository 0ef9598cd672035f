import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "./http-error.ts";
import { LINGER_MS, refuseConnection } from "./respond.ts";

/**
 * The connections of a server. A connection is *trusted* once a request on it was authorised. When the limit is reached,
 * the oldest untrusted connection is closed for a new one, so that clients without the token cannot lock its owner out.
 */
export interface Connections {
  /** Accepts a new connection, or refuses it with 503 when every connection is trusted. */
  accept(socket: Socket): void;
  /** A request on this connection was authorised. */
  trust(socket: Socket): void;
  /**
   * Counts a request that `response` will answer. Returns false when the connection is closed, or when this closes it
   * because it is untrusted and pipelines too many requests: one packet can hold a thousand of them, and all are answered
   * before any other connection's.
   */
  takeRequest(socket: Socket, response: ServerResponse): boolean;
  /** Closes connections on which no request was ever sent. */
  closeUnused(): void;
  readonly size: number;
}

/** Refused connections that still get an answer; further ones are closed at once. */
const MAX_LINGERING = 32;

/** Requests on one connection that is not trusted whose answers are not on their way yet. */
const MOST_UNANSWERED = 16;

export function createConnections(max: number, createId: () => string): Connections {
  const all = new Set<Socket>();
  /** Oldest first. */
  const untrusted = new Set<Socket>();
  const trusted = new WeakSet<Socket>();
  const unanswered = new WeakMap<Socket, number>();
  let lingering = 0;

  function refuse(socket: Socket): void {
    // A second answer cannot be written into the middle of another one.
    if (lingering >= MAX_LINGERING || socket.bytesWritten > 0) {
      socket.destroy();
      return;
    }
    lingering += 1;
    socket.once("close", () => {
      lingering -= 1;
    });
    refuseConnection(socket, serverFull(), createId());
  }

  function closeOldestUntrusted(): boolean {
    const [oldest] = untrusted;
    if (!oldest) return false;
    leave(oldest);
    refuse(oldest);
    return true;
  }

  function leave(socket: Socket): void {
    all.delete(socket);
    untrusted.delete(socket);
  }

  return {
    accept(socket) {
      socket.once("close", () => leave(socket));
      if (all.size >= max && !closeOldestUntrusted()) {
        refuse(socket);
        return;
      }
      all.add(socket);
      untrusted.add(socket);
    },
    trust(socket) {
      untrusted.delete(socket);
      trusted.add(socket);
    },
    takeRequest(socket, response) {
      if (socket.destroyed) return false;
      if (trusted.has(socket)) return true;
      const count = (unanswered.get(socket) ?? 0) + 1;
      if (count > MOST_UNANSWERED) {
        socket.destroy();
        return false;
      }
      unanswered.set(socket, count);
      response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
      return true;
    },
    closeUnused() {
      for (const socket of all) if (socket.bytesRead === 0) socket.destroy();
    },
    get size() {
      return all.size;
    },
  };
}

const serverFull = () =>
  new HttpError("server_full", "The server has reached its limit of open connections.", {
    "Retry-After": String(Math.ceil(LINGER_MS / 1_000)),
  });
