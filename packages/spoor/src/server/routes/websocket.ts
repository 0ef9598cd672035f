import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { createSubscriptions } from "../feeds/websocket-subscriptions.ts";
import { subprotocols } from "../http/auth.ts";
import type { Guard } from "../http/guard.ts";
import { HttpError, toHttpError } from "../http/http-error.ts";
import { refuseConnection } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import type { RouteContext } from "./route-context.ts";

export const WEBSOCKET_PATH = "/v1/ws";
const MAX_MESSAGE_BYTES = 64 * 1024;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Answers plain requests to the path of the WebSocket. */
export const websocketRoute: Route = {
  method: "GET",
  path: WEBSOCKET_PATH,
  operation: "openWebSocket",
  summary: "Follow runs over a WebSocket",
  answers: { 101: { description: "The connection is a WebSocket from here on." } },
  handle() {
    throw upgradeRequired();
  },
};

/** The WebSocket server. A connection is checked before the upgrade in the same way as any request. */
export function createWebSockets(
  context: RouteContext,
  guard: Guard,
  trust: (socket: Socket) => void,
): { upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void; terminate(): void } {
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
      socket.on("error", () => socket.destroy());
      try {
        guard.admit(request);
        context.auth.authorise(request);
        trust(request.socket);
        checkUpgrade(request);
        if (context.isStopping()) throw new HttpError("shutting_down", "The server is stopping.");
      } catch (error) {
        refuseConnection(socket, toHttpError(error), request_id);
        return;
      }
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

function checkUpgrade(request: IncomingMessage): void {
  const path = (request.url ?? "").split("?", 1)[0]?.replace(/^\/hecate/, "");
  if (path !== WEBSOCKET_PATH) {
    throw new HttpError("not_found", `There is no WebSocket at this path. Connect to ${WEBSOCKET_PATH}.`);
  }
  // Node before 22.21 and 24.9 passes on every kind of upgrade.
  if (request.headers.upgrade?.toLowerCase() !== "websocket") throw upgradeRequired();
  if (subprotocols(request).some((name) => name.length > 512)) {
    throw new HttpError("bad_request", "A name in Sec-WebSocket-Protocol is longer than 512 characters.");
  }
}

const upgradeRequired = () =>
  new HttpError("upgrade_required", "This path serves only WebSocket connections.", { Upgrade: "websocket" });
