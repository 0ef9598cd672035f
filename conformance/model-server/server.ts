import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { answerOf } from "./answer.ts";
import { createPicker } from "./pick.ts";
import { recordRequest } from "./request.ts";
import { routeOf } from "./route.ts";
import type { ModelRequest, Script } from "./script.ts";
import { type Sleep, send } from "./send.ts";

export interface ModelServerOptions {
  script: Script;
  /** Waits for `delayMs` and `pauseMs`, or until the signal is aborted; tests pass their own. */
  sleep?: Sleep;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`. Clients may add any prefix before the path of their API. */
  url: string;
  /** All requests so far, in the order in which their bodies were complete. Grows while the server runs. */
  requests: readonly ModelRequest[];
  /** Closes open connections. */
  close(): Promise<void>;
}

/**
 * A model server that follows a script in the dialect of the request. Requests outside the conversation receive a
 * harmless answer. A request for which the script has no step receives a 400, the error on which clients give up
 * soonest.
 */
export async function startModelServer({ script, sleep = realSleep }: ModelServerOptions): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const pick = createPicker(script);

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await recordRequest(incoming);
    const route = routeOf(asked);
    const request: ModelRequest = { ...asked, isSide: route.isSide, ...(route.dialect && { dialect: route.dialect }) };
    const step = route.dialect === undefined ? undefined : pick(request);
    if (step !== undefined) request.step = step;
    const number = requests.push(request);
    await send(response, answerOf(route, step === undefined ? undefined : script[step], number, request), sleep);
  }

  const server = createServer((incoming, response) => {
    // This fails only if the client has disconnected, so there is nobody to tell.
    serve(incoming, response).catch(() => response.destroy());
  });
  // A client that uses this server as a proxy wants to leave the machine: the request is recorded and refused.
  server.on("connect", (incoming, socket) => {
    requests.push({ method: "CONNECT", path: incoming.url ?? "", body: undefined, isSide: true });
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const realSleep: Sleep = async (milliseconds, signal) => {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
};
