import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { createSubscriptions } from "../feeds/websocket-subscriptions.ts";
import { HttpError, toHttpError } from "../http/http-error.ts";
import { refuseConnection } from "../http/respond.ts";
import type { RouteContext } from "./route-context.ts";

const MAX_MESSAGE_BYTES = 64 * 1024;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** The connections of a server. */
export interface WebSockets {
  /** Makes a WebSocket of a connection that is allowed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void;
  terminate(): void;
}

/** Makes WebSockets of requests and serves them. */
export function createWebSocketServer(context: RouteContext): WebSockets {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
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
      server.handleUpgrade(request, socket, head, (client) => serveClient(context, client));
    },
    terminate() {
      for (const client of server.clients) client.terminate();
    },
  };
}

function serveClient(context: RouteContext, client: WebSocket): void {
  const subscriptions = createSubscriptions(context, client);
  let alive = true;
  let remove: () => void;
  try {
    remove = context.streams.add({
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
  client.on("pong", () => {
    alive = true;
  });
  client.on("message", (message, isBinary) => subscriptions.receive(isBinary ? undefined : String(message)));
  client.on("error", () => client.terminate());
  client.on("close", () => {
    remove();
    subscriptions.close();
  });
}
