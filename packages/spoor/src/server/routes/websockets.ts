import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import type { OpenStreams } from "../feeds/open-streams.ts";
import { HttpError, toHttpError } from "../http/http-error.ts";
import { refuseConnection } from "../http/respond.ts";
import type { ServeSocket } from "../http/route.ts";

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
const MESSAGE_TOO_BIG = 1009;
/** How long a client that sent an invalid frame may take to read why its connection is closed. */
const LAST_WORDS_MS = 5_000;

/** The connections of a route. */
export interface WebSockets {
  /** Makes a WebSocket of a connection that is allowed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void;
  terminate(): void;
}

/** Makes WebSockets of requests and serves them. */
export function createWebSockets(streams: OpenStreams, maxPayload: number, serve: ServeSocket): WebSockets {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload,
    WebSocket: LastWordsSocket,
    // A client that offers subprotocols expects one back. Repeat the token only if it is all the client offers.
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith("bearer.")) ?? [...offered][0] ?? false,
  });
  const ids = new WeakMap<IncomingMessage, string>();
  // The upgrade request is not a valid WebSocket handshake.
  server.on("wsClientError", (error: Error, socket: Duplex, request: IncomingMessage) => {
    const known = new HttpError("bad_request", `The WebSocket handshake is invalid: ${error.message}.`, {
      "Sec-WebSocket-Version": "13",
    });
    refuseConnection(socket, known, ids.get(request) ?? "");
  });
  return {
    upgrade(request, socket, head, request_id) {
      ids.set(request, request_id);
      server.handleUpgrade(request, socket, head, (client) => serveClient(streams, client, serve));
    },
    terminate() {
      for (const client of server.clients) client.terminate();
    },
  };
}

/**
 * `ws` closes a connection itself if a client does, or sends a frame that is invalid or too large. Nothing can be sent after
 * `close`, so what is left to say is said before.
 */
class LastWordsSocket extends WebSocket {
  lastWords: ((reason: string) => void) | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    const { lastWords } = this;
    this.lastWords = undefined;
    const why = code === MESSAGE_TOO_BIG ? "message_too_large" : String(reason ?? "");
    if (this.readyState === this.OPEN) lastWords?.(why);
    super.close(code, reason);
  }
}

function serveClient(streams: OpenStreams, client: LastWordsSocket, serve: ServeSocket): void {
  let alive = true;
  let remove: () => void;
  try {
    remove = streams.add({
      heartbeat() {
        // A client that still has data to receive may not have seen the last ping.
        if (client.bufferedAmount > 0) return;
        if (!alive) return client.terminate();
        alive = false;
        client.ping();
      },
      end: (reason) => client.close(GOING_AWAY, reason),
    });
  } catch (error) {
    client.close(TRY_AGAIN_LATER, toHttpError(error).code);
    return;
  }
  const served = serve(client);
  client.lastWords = served.end;
  client.on("pong", () => {
    alive = true;
  });
  client.on("message", (message, isBinary) => served.receive(isBinary ? undefined : String(message)));
  // The last words arrive only if what the client still sends is read and thrown away, instead of resetting the connection.
  client.on("error", () => setTimeout(() => client.terminate(), LAST_WORDS_MS).unref());
  client.on("close", () => {
    remove();
    served.close();
  });
}
