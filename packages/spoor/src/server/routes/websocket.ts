import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { subprotocols } from "../http/auth.ts";
import type { Guard } from "../http/guard.ts";
import { HttpError, toHttpError } from "../http/http-error.ts";
import { refuseConnection } from "../http/respond.ts";
import type { Route } from "../http/route.ts";
import type { RouteContext } from "./route-context.ts";
import type { WebSockets } from "./websocket-server.ts";

export const WEBSOCKET_PATH = "/v1/ws";

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

/** The WebSocket server, loaded with the first connection. A connection is checked before the upgrade like any request. */
export function createWebSockets(
  context: RouteContext,
  guard: Guard,
  trust: (socket: Socket) => void,
): { upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void; terminate(): void } {
  let loading: Promise<WebSockets> | undefined;
  const load = async () => (await import("./websocket-server.ts")).createWebSocketServer(context);

  /** Nothing reads from the socket until the server is loaded. */
  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): Promise<void> {
    try {
      guard.admit(request);
      context.auth.authorise(request);
      trust(request.socket);
      checkUpgrade(request);
      loading ??= load();
      const sockets = await loading;
      if (context.isStopping()) throw new HttpError("shutting_down", "The server is stopping.");
      sockets.upgrade(request, socket, head, request_id);
    } catch (error) {
      refuseConnection(socket, toHttpError(error), request_id);
    }
  }

  return {
    upgrade(request, socket, head, request_id) {
      socket.on("error", () => socket.destroy());
      void upgrade(request, socket, head, request_id);
    },
    terminate() {
      void loading?.then((sockets) => sockets.terminate());
    },
  };
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
