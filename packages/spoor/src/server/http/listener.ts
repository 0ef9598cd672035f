import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Auth } from "./auth.ts";
import { mediaType } from "./body.ts";
import type { Connections } from "./connections.ts";
import { HttpError, type HttpErrorCode, toHttpError } from "./errors.ts";
import { type Guard, securityHeaders } from "./guard.ts";
import { sendRefusalPage, wantsPage } from "./refusal-page.ts";
import { refuseConnection, sendError } from "./respond.ts";
import { createRouter, type Found, type Route } from "./route.ts";

export interface ListenerOptions {
  routes: readonly Route[];
  guard(): Guard;
  auth(): Auth;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void;
  isStopping(): boolean;
  createId(): string;
  /** Told what we did not foresee. */
  onFault(error: unknown, request_id: string): void;
  connections: Connections;
}

/** The HTTP server: every request is admitted, authorised and routed here, and every failure becomes an answer. */
export function createListener({
  routes,
  guard,
  auth,
  upgrade,
  isStopping,
  createId,
  onFault,
  connections,
}: ListenerOptions): Server {
  const find = createRouter(routes);
  const headers = Object.entries(securityHeaders);

  async function answer(request: IncomingMessage, response: ServerResponse, request_id: string): Promise<void> {
    const { pathname, query } = targetOf(request);
    const found = find(request.method ?? "", pathname);
    const access = found && "route" in found ? found.route.access : undefined;
    guard().admit(request, { navigable: access === "login" });
    if (!access) {
      auth().authorise(request);
      connections.trust(request.socket);
    }
    if (!found) throw new HttpError("not_found", "There is nothing here.");
    if (!("route" in found)) throw notAllowed(found, "Not by this method.");
    if (request.method === "HEAD" && !access) throw notAllowed(find("", pathname), "Use GET.");
    // A form on another page cannot send this without asking first.
    if (found.route.body && mediaType(request) !== "application/json") {
      throw new HttpError("unsupported_media_type", "The body must be JSON.");
    }
    if (isStopping()) response.setHeader("Connection", "close");
    await found.route.handle({ request, response, request_id, path: found.path, query });
  }

  // Imported as a module, it would load Node's whole HTTP client for the sake of names that are never used.
  const { createServer: createHttpServer } = process.getBuiltinModule("node:http");
  const server = createHttpServer(
    {
      maxHeaderSize: 16 * 1024,
      requestTimeout: 30_000,
      headersTimeout: 5_000,
      keepAliveTimeout: 5_000,
      // Node looks for connections that are late only this often; its default is half a minute.
      connectionsCheckingInterval: 1_000,
      // Who offers another protocol, as some clients do with HTTP/2 on every request, goes on in this one.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    },
    (request, response) => {
      if (!connections.takeRequest(request.socket, response)) return;
      const request_id = createId();
      response.setHeader("X-Request-Id", request_id);
      for (const [name, value] of headers) response.setHeader(name, value);
      answer(request, response, request_id).catch((error: unknown) => {
        // Who hung up while still sending waits for no answer.
        if (error === request.errored) return;
        const known = toHttpError(error);
        if (faults.has(known.code)) onFault(error, request_id);
        if (response.headersSent) response.destroy();
        else if (wantsPage(request, known.code)) sendRefusalPage(response, known);
        else sendError(response, known, request_id);
      });
    },
  );
  server.maxHeadersCount = 100;
  server.on("connection", connections.enter);
  server.on("upgrade", (request, socket, head) => upgrade(request, socket, head, createId()));
  server.on("clientError", (error, socket) => refuseUnreadable(error, socket, createId()));
  return server;
}

/** What the operator is to look at. */
const faults: ReadonlySet<HttpErrorCode> = new Set(["internal", "damaged", "log_unavailable", "disk_full"]);

function notAllowed(found: Found | undefined, message: string): HttpError {
  const allow = found && "allow" in found ? found.allow : [];
  return new HttpError("method_not_allowed", message, { Allow: [...new Set(allow)].join(", ") });
}

function targetOf(request: IncomingMessage): { pathname: string; query: URLSearchParams } {
  const target = request.url ?? "";
  if (!target.startsWith("/")) throw new HttpError("bad_request", "The target must be a path.");
  const cut = target.indexOf("?");
  if (cut === -1) return { pathname: target, query: new URLSearchParams() };
  return { pathname: target.slice(0, cut), query: new URLSearchParams(target.slice(cut + 1)) };
}

const unreadable: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError("headers_too_large", "The request cannot be read."),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError("request_timeout", "The request did not come in time."),
};

/** What is not HTTP, or too much or too little of it, gets the same kind of answer. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, request_id: string): void {
  // Browsers open connections before they need them; one that was never used is closed without a word.
  const isUnused = "bytesRead" in socket && socket.bytesRead === 0;
  if (error.code === "ECONNRESET" || !socket.writable || isUnused) socket.destroy();
  else {
    const known = unreadable[error.code ?? ""] ?? new HttpError("bad_request", "The request cannot be read.");
    refuseConnection(socket, known, request_id);
  }
}
