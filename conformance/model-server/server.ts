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
  /** Waits for `delayMs` and `pauseMs`, or until the signal is aborted; tests give their own. */
  sleep?: Sleep;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, to which clients may add any path before the one of their API. */
  url: string;
  /** Every request so far, in the order their bodies were complete. Grows while the server runs. */
  requests: readonly ModelRequest[];
  /** Cuts what is still open. */
  close(): Promise<void>;
}

/**
 * A model that says what a script says, in the dialect it is asked in. What it is asked beside the conversation gets a
 * harmless answer; what the script has nothing for gets a 400, the error clients give up on soonest.
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
    // Only a client that went away can make this fail, and there is nobody left to tell.
    serve(incoming, response).catch(() => response.destroy());
  });
  // A client that takes us for its proxy wants to leave the machine: recorded, and refused.
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
