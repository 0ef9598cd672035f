import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Envelope } from "../../src/envelope/envelope.ts";

/** A request as the server received it. */
export interface Seen {
  /** The number of requests before it. */
  index: number;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
  /** What the stream or page starts after. */
  after: number;
}

export type Answer = (request: Seen, response: ServerResponse) => unknown;

export interface FakeServer extends AsyncDisposable {
  url: string;
  requests: Seen[];
}

/** A server on loopback whose answers the test defines. */
export async function startFakeServer(answer: Answer): Promise<FakeServer> {
  const requests: Seen[] = [];
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? "/", "http://fake");
    const seen: Seen = {
      index: requests.length,
      method: incoming.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: "",
      after: Number(url.searchParams.get("after_sequence") ?? -1),
    };
    requests.push(seen);
    for await (const chunk of incoming) seen.body += chunk;
    await answer(seen, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const resume = (status = "ok", schema_version = "1", after_sequence?: number): string =>
  `event: resume\ndata: ${JSON.stringify({ status, schema_version, after_sequence })}\n\n`;

export const frame = (envelope: object, id: number): string => `id: ${id}\ndata: ${JSON.stringify(envelope)}\n\n`;

export const frames = (envelopes: readonly Envelope[]): string =>
  envelopes.map((envelope) => frame(envelope, envelope.sequence)).join("");

/** The frames that a correct server sends for a run after a cursor. */
export const streamOf = (run: readonly Envelope[], after: number): string =>
  resume() + frames(run.filter(({ sequence }) => sequence > after));

export function openStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

/** Answers for a finished run as the HTTP interface requires: the rest of the run, or 204. */
export function serveRun(run: readonly Envelope[]): Answer {
  const last = run.at(-1)?.sequence ?? -1;
  return ({ after }, response) =>
    after >= last ? response.writeHead(204).end() : openStream(response).end(streamOf(run, after));
}

/** Sends bytes, then drops the connection. */
export function sendAndDrop(response: ServerResponse, bytes: string | Uint8Array): void {
  openStream(response).flushHeaders();
  if (bytes.length === 0) response.socket?.destroy();
  else response.write(bytes, () => response.socket?.destroy());
}

export const sendJson = (response: ServerResponse, body: unknown, status = 200): ServerResponse =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

export const sendError = (response: ServerResponse, status: number, code: string): ServerResponse =>
  sendJson(response, { error: { code, message: "No.", hint: "Do otherwise.", request_id: "req_1" } }, status);
