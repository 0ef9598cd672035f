import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CloudEvent, HTTP } from "cloudevents";
import { Webhook } from "standardwebhooks";

/** One request, whether it was accepted or not. */
export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
  event: CloudEvent<Record<string, unknown>>;
  run_id: string;
  sequence: number;
  /** The type of the event as Spoor spells it. */
  type: string;
  accepted: boolean;
}

/** How a request is answered: a status, silence, a connection that breaks, or 200 with a body that does not end. */
export type Behaviour = number | "hang" | "cut" | "endless" | { status: number; headers: Record<string, string> };

export interface TestReceiver {
  readonly url: string;
  /** Every request that arrived, in order. */
  readonly requests: Received[];
  /** The requests that were answered with 2xx. */
  accepted(): Received[];
  /** The most connections that were open at the same time. */
  mostConnections(): number;
  /** Chooses the answer to each request; 204 by default. */
  behave(choose: (request: Received) => Behaviour | Promise<Behaviour>): void;
  /** Refuses connections, until `listen`. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A receiver as a user would write it, with the libraries of both standards: it throws away what `standardwebhooks` does not
 * verify, and what `cloudevents` does not read.
 */
export async function createReceiver(
  secrets: () => string,
  tls?: { key: string; cert: string },
): Promise<TestReceiver> {
  const requests: Received[] = [];
  let choose: (request: Received) => Behaviour | Promise<Behaviour> = () => 204;
  let server: Server | undefined;
  let port = 0;
  let mostConnections = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    new Webhook(secrets()).verify(body, headers);
    const event = HTTP.toEvent({ headers, body }) as CloudEvent<Record<string, unknown>>;
    const received: Received = {
      id: headers["webhook-id"] ?? "",
      headers,
      body,
      event,
      run_id: String(event.runid ?? ""),
      sequence: Number(event.sequence ?? -1),
      type: event.type.replace(/^dev\.spoor\.(.*)\.v1$/, "$1"),
      accepted: false,
    };
    const chosen = choose(received);
    requests.push(received);
    const behaviour = chosen instanceof Promise ? await chosen : chosen;
    const { status, headers: answered } =
      typeof behaviour === "object" ? behaviour : { status: behaviour, headers: undefined };
    received.accepted = status === "endless" || (typeof status === "number" && status >= 200 && status < 300);
    if (status === "cut") response.destroy();
    else if (status === "endless") response.writeHead(200).write("It goes on and on");
    else if (status !== "hang") response.writeHead(status, answered).end();
  }

  const receiver: TestReceiver = {
    get url() {
      return `${tls ? "https" : "http"}://127.0.0.1:${port}/hooks`;
    },
    requests,
    mostConnections: () => mostConnections,
    accepted: () => requests.filter(({ accepted }) => accepted),
    behave: (next) => {
      choose = next;
    },
    async refuse() {
      const closing = server;
      server = undefined;
      closing?.closeAllConnections();
      await new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
    },
    async listen() {
      if (server) return;
      const listener = (request: IncomingMessage, response: ServerResponse) => {
        handle(request, response).catch((error: Error) => {
          response.writeHead(400).end(error.message);
        });
      };
      const opened = tls ? createSecureServer(tls, listener) : createServer(listener);
      server = opened;
      opened.on("connection", () => {
        opened.getConnections((_, count) => {
          mostConnections = Math.max(mostConnections, count);
        });
      });
      await new Promise<void>((resolve, reject) => opened.once("error", reject).listen(port, "127.0.0.1", resolve));
      port = (opened.address() as AddressInfo).port;
    },
    close: () => receiver.refuse(),
  };
  await receiver.listen();
  return receiver;
}

/** What a receiver keeps that discards doubles by `webhook-id`: the sequences of each run in the order of arrival. */
export function sequencesByRun(received: readonly Received[]): Record<string, number[]> {
  const seen = new Set<string>();
  const byRun: Record<string, number[]> = {};
  for (const { id, run_id, sequence } of received) {
    if (seen.has(id)) continue;
    seen.add(id);
    byRun[run_id] = [...(byRun[run_id] ?? []), sequence];
  }
  return byRun;
}
