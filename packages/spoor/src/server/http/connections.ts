import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "./errors.ts";
import { LINGER_MS, refuseConnection } from "./respond.ts";

/**
 * The connections of a server. One is *trusted* once a request on it was authorised. When the room is full, the oldest
 * connection that is not trusted makes way for a new one, so that people without the token cannot keep its owner out.
 */
export interface Connections {
  /** Takes a new connection in, or refuses it with 503 when every connection is trusted. */
  enter(socket: Socket): void;
  /** A request on this connection was authorised. */
  trust(socket: Socket): void;
  /**
   * Takes a request in that this response will answer. False when the connection is gone, or was cut just now because it
   * sent many requests without waiting for an answer and is not trusted: one packet can hold a thousand of them, and all of
   * them are answered before anybody else's.
   */
  takeRequest(socket: Socket, response: ServerResponse): boolean;
  /** Ends the connections on which nothing was ever asked. */
  closeUnused(): void;
  readonly size: number;
}

/** Connections that were refused and have a moment to read why; further ones are cut at once. */
const MOST_LINGERING = 32;

/** Requests on one connection that is not trusted whose answers are not on their way yet. */
const MOST_UNANSWERED = 16;

export function createConnections(most: number, createId: () => string): Connections {
  const all = new Set<Socket>();
  /** In the order they came. */
  const untrusted = new Set<Socket>();
  const trusted = new WeakSet<Socket>();
  const unanswered = new WeakMap<Socket, number>();
  let lingering = 0;

  function refuse(socket: Socket): void {
    // In the middle of an answer there is no place for another one.
    if (lingering >= MOST_LINGERING || socket.bytesWritten > 0) {
      socket.destroy();
      return;
    }
    lingering += 1;
    socket.once("close", () => {
      lingering -= 1;
    });
    refuseConnection(socket, serverFull(), createId());
  }

  function makeRoom(): boolean {
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
    enter(socket) {
      socket.once("close", () => leave(socket));
      if (all.size >= most && !makeRoom()) {
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
  new HttpError("server_full", "The server has as many connections as it can take.", {
    "Retry-After": String(Math.ceil(LINGER_MS / 1_000)),
  });
