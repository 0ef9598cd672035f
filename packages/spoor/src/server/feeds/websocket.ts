import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { subprotocols } from "../http/auth.ts";
import { HttpError, toHttpError } from "../http/errors.ts";
import type { Guard } from "../http/guard.ts";
import { refuseConnection } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import type { Parts } from "../parts.ts";
import { createConversation } from "./websocket-conversation.ts";

export const WEBSOCKET_PATH = "/v1/ws";
const MOST_BYTES = 64 * 1024;
const GOING_AWAY = 1001;

/** What a request gets there that is no upgrade. */
export const websocketRoute: Route = {
  method: "GET",
  path: WEBSOCKET_PATH,
  operation: "openWebSocket",
  summary: "Follow runs over a WebSocket",
  answers: { 101: { description: "The connection is a WebSocket from here on." } },
  handle() {
    throw new HttpError("upgrade_required", "Only WebSocket.", { Upgrade: "websocket" });
  },
};

/** The WebSocket: refused before the upgrade on the same grounds as any request, then one conversation per connection. */
export function createWebSockets(
  parts: Parts,
  guard: Guard,
  trust: (socket: Socket) => void,
): { upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void; terminate(): void } {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MOST_BYTES,
    // A client that offers names wants one back; the token is repeated only when it offers nothing else.
    handleProtocols: (offered) => [...offered].find((name) => !name.startsWith("bearer.")) ?? [...offered][0] ?? false,
  });

  const ids = new WeakMap<IncomingMessage, string>();
  // What claims to be a WebSocket and is none.
  server.on("wsClientError", (error: Error, socket: Duplex, request: IncomingMessage) => {
    const known = new HttpError("bad_request", `${error.message}.`, { "Sec-WebSocket-Version": "13" });
    refuseConnection(socket, known, ids.get(request) ?? "");
  });

  return {
    upgrade(request, socket, head, request_id) {
      socket.on("error", () => socket.destroy());
      try {
        guard.admit(request);
        parts.auth.authorise(request);
        trust(request.socket);
        refuseOthers(request);
        if (parts.isStopping()) throw new HttpError("shutting_down", "The server is stopping.");
      } catch (error) {
        refuseConnection(socket, toHttpError(error), request_id);
        return;
      }
      ids.set(request, request_id);
      server.handleUpgrade(request, socket, head, (client) => converse(parts, client));
    },
    terminate() {
      for (const client of server.clients) client.terminate();
    },
  };
}

function converse(parts: Parts, client: WebSocket): void {
  const conversation = createConversation(parts, client);
  let alive = true;
  let leave: () => void;
  try {
    leave = parts.streams.enter({
      beat() {
        // Who is still being sent to cannot be expected to answer.
        if (client.bufferedAmount > 0) return;
        if (!alive) return client.terminate();
        alive = false;
        client.ping();
      },
      bye: (reason) => client.close(GOING_AWAY, reason),
    });
  } catch (error) {
    client.close(1013, toHttpError(error).code);
    return;
  }
  client.on("pong", () => {
    alive = true;
  });
  client.on("message", (message, isBinary) => conversation.hear(isBinary ? undefined : String(message)));
  client.on("error", () => client.terminate());
  client.on("close", () => {
    leave();
    conversation.close();
  });
}

function refuseOthers(request: IncomingMessage): void {
  const path = (request.url ?? "").split("?", 1)[0]?.replace(/^\/hecate/, "");
  if (path !== WEBSOCKET_PATH) throw new HttpError("not_found", `There is a WebSocket at ${WEBSOCKET_PATH} only.`);
  // A Node before 22.21 or 24.9 brings every kind of upgrade here.
  if (request.headers.upgrade?.toLowerCase() !== "websocket")
    throw new HttpError("upgrade_required", "Only WebSocket.");
  if (subprotocols(request).some((name) => name.length > 512))
    throw new HttpError("bad_request", "That name is too long.");
}
