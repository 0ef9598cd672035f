import { type ClientOptions, WebSocket } from "ws";
import { TOKEN } from "./serve.ts";

export interface ServerMessage {
  type: string;
  id?: string;
  events?: { sequence: number; run_id: string; type: string }[];
  next_after_sequence?: number;
  [field: string]: unknown;
}

export interface TestSocket {
  socket: WebSocket;
  send(message: unknown): void;
  /** Every message in the order received. */
  received: string[];
  /** Resolves with the first message that matches. */
  until(matches: (message: ServerMessage) => boolean): Promise<ServerMessage>;
}

/** Opens a WebSocket with the token. */
export async function connect(
  url: string,
  protocols: string[] = [`bearer.${TOKEN}`],
  options: ClientOptions = {},
): Promise<TestSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/ws`, protocols, options);
  const received: string[] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (message) => {
    received.push(String(message));
    for (const check of waiting) check();
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    socket,
    received,
    send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    until(matches) {
      let next = 0;
      return new Promise((resolve, reject) => {
        const check = () => {
          for (; next < received.length; next++) {
            const message = JSON.parse(received[next] as string) as ServerMessage;
            if (!matches(message)) continue;
            waiting.delete(check);
            return resolve(message);
          }
        };
        waiting.add(check);
        socket.once("close", (code) => reject(new Error(`The socket closed with ${code}.`)));
        check();
      });
    },
  };
}

/** The status with which the server refuses an upgrade. */
export function refused(
  url: string,
  protocols: string[],
  options: ClientOptions = {},
  path = "/v1/ws",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace("http", "ws") + path, protocols, options);
    socket.once("unexpected-response", (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once("open", () => {
      socket.terminate();
      reject(new Error("The server accepted the upgrade."));
    });
    socket.on("error", () => {});
  });
}
