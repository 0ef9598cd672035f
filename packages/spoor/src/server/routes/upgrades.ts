import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { HttpError, toHttpError } from "../http/http-error.ts";
import { refuseConnection } from "../http/respond.ts";
import type { RouteUpgrade } from "../http/route.ts";
import type { RouteContext } from "./route-context.ts";
import type { WebSockets } from "./websockets.ts";

/** Makes WebSockets of the connections of routes. */
export interface Upgrades {
  /** The request was checked and authorised like any other. Nothing reads from the connection until its route is loaded. */
  open(upgrade: RouteUpgrade, request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void;
  terminate(): void;
}

/** The WebSocket package, and what serves a route's connections, are loaded with the first connection. */
export function createUpgrades(context: RouteContext): Upgrades {
  const loading = new Map<RouteUpgrade, Promise<WebSockets>>();

  async function load(upgrade: RouteUpgrade): Promise<WebSockets> {
    const [{ createWebSockets }, serve] = await Promise.all([import("./websockets.ts"), upgrade.load()]);
    return createWebSockets(context.streams, upgrade.maxMessageBytes, serve);
  }

  async function open(...[upgrade, request, socket, head, request_id]: Parameters<Upgrades["open"]>): Promise<void> {
    try {
      const sockets = loading.get(upgrade) ?? load(upgrade);
      loading.set(upgrade, sockets);
      const { upgrade: accept } = await sockets;
      if (context.isStopping()) throw new HttpError("shutting_down", "The server is stopping.");
      accept(request, socket, head, request_id);
    } catch (error) {
      refuseConnection(socket, toHttpError(error), request_id);
    }
  }

  return {
    open: (...call) => void open(...call),
    terminate() {
      for (const sockets of loading.values()) void sockets.then(({ terminate }) => terminate()).catch(() => {});
    },
  };
}
