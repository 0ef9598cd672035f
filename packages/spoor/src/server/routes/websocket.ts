import type { Route, RouteSocket } from "../http/route.ts";
import type { RouteContext } from "./route-context.ts";

/** The WebSocket on which clients follow runs. */
export function websocketRoutes(context: RouteContext): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/ws",
      operation: "openWebSocket",
      summary: "Follow runs over a WebSocket",
      answers: { 101: { description: "The connection is a WebSocket from here on." } },
      upgrade: {
        maxMessageBytes: 64 * 1024,
        async load() {
          const { createSubscriptions } = await import("../feeds/websocket-subscriptions.ts");
          return (socket: RouteSocket) => createSubscriptions(context, socket);
        },
      },
    },
  ];
}
