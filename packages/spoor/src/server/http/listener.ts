import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerAuth, subprotocols } from "./auth.ts";
import type { Connections } from "./connections.ts";
import { type Guard, securityHeaders } from "./guard.ts";
import { HttpError, type HttpErrorCode, toHttpError } from "./http-error.ts";
import { hasNoBody, mediaType, readJson } from "./json-body.ts";
import { languageRefusal } from "./language-parameter.ts";
import { sendRefusalPage, wantsPage } from "./refusal-page.ts";
import { refuseConnection, sendError } from "./respond.ts";
import { createRouter, type Found, type Route, type RouteUpgrade } from "./route.ts";

export interface ListenerOptions {
  routes: readonly Route[];
  /** The values of `as`, if there are any. */
  languages?: readonly { readonly name: string }[];
  /** Answers for the page. Returns undefined if a path does not belong to it. */
  page(request: IncomingMessage, pathname: string): ((response: ServerResponse) => Promise<void>) | undefined;
  guard(): Guard;
  auth(): ServerAuth;
  upgrade(upgrade: RouteUpgrade, request: IncomingMessage, socket: Duplex, head: Buffer, request_id: string): void;
  isStopping(): boolean;
  createId(): string;
  /** Receives errors that the operator should look at. */
  onFault(error: unknown, request_id: string): void;
  connections: Connections;
}

/** The HTTP server. It checks, authorises and routes every request, and turns every error into an answer. */
export function createListener({
  routes,
  languages = [],
  page,
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
    const sendPage = found ? undefined : page(request, pathname);
    guard().admit(request, { navigable: access === "login" || sendPage !== undefined });
    if (isStopping()) response.setHeader("Connection", "close");
    if (sendPage) return sendPage(response);
    if (!access) authorise(request);
    if (!found) throw new HttpError("not_found", `There is no route ${pathname.slice(0, 200)}.`);
    if (!("route" in found)) throw notAllowed(found, `This route does not support the method ${request.method}.`);
    if (request.method === "HEAD" && !access)
      throw notAllowed(find("", pathname), "This route does not support HEAD. Use GET.");
    refuseLanguage(found.route, query);
    if (!found.route.handle) throw upgradeRequired();
    const needsBody = found.route.body !== undefined && !(found.route.bodyOptional && hasNoBody(request));
    if (needsBody && mediaType(request) !== "application/json") {
      throw new HttpError("unsupported_media_type", "The body is not declared as JSON.");
    }
    const json = () => readJson(request);
    await found.route.handle({ request, response, request_id, path: found.path, query, json });
  }

  function refuseLanguage({ access, translates }: Route, query: URLSearchParams): void {
    if (!access && !translates && query.has("as")) throw languageRefusal(languages);
  }

  function authorise(request: IncomingMessage): void {
    auth().authorise(request);
    connections.trust(request.socket);
  }

  /** The upgrade that a request asks for. It is checked like any other request. */
  function upgradeOf(request: IncomingMessage): RouteUpgrade {
    guard().admit(request);
    authorise(request);
    const { pathname, query } = targetOf(request);
    const found = find("GET", pathname);
    const route = found && "route" in found ? found.route : undefined;
    const wanted = route?.upgrade;
    if (!route || !wanted) {
      const paths = routes.filter((route) => route.upgrade).map(({ path }) => path);
      throw new HttpError("not_found", `There is no WebSocket at this path. Connect to ${paths.join(" or ")}.`);
    }
    refuseLanguage(route, query);
    // Node before 22.21 and 24.9 passes on every kind of upgrade.
    if (request.headers.upgrade?.toLowerCase() !== "websocket") throw upgradeRequired();
    if (subprotocols(request).some((name) => name.length > 512)) {
      throw new HttpError("bad_request", "A name in Sec-WebSocket-Protocol is longer than 512 characters.");
    }
    return wanted;
  }

  // A static import of node:http would also load Node's HTTP client, which makes the start slower.
  const { createServer: createHttpServer } = process.getBuiltinModule("node:http");
  const server = createHttpServer(
    {
      maxHeaderSize: 16 * 1024,
      requestTimeout: 30_000,
      headersTimeout: 5_000,
      keepAliveTimeout: 5_000,
      // How often Node checks these timeouts; its default is half a minute.
      connectionsCheckingInterval: 1_000,
      // Some clients offer HTTP/2 with every request; those are answered in HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    },
    (request, response) => {
      if (!connections.takeRequest(request.socket, response)) return;
      const request_id = createId();
      response.setHeader("X-Request-Id", request_id);
      for (const [name, value] of headers) response.setHeader(name, value);
      answer(request, response, request_id).catch((error: unknown) => {
        // The client hung up while sending its request.
        if (error === request.errored) return;
        const known = toHttpError(error);
        if (operatorErrors.has(known.code)) onFault(error, request_id);
        if (response.headersSent) response.destroy();
        else if (wantsPage(request, known.code)) sendRefusalPage(response, known);
        else sendError(response, known, request_id);
      });
    },
  );
  server.maxHeadersCount = 100;
  server.on("connection", connections.accept);
  server.on("upgrade", (request, socket, head) => {
    const request_id = createId();
    socket.on("error", () => socket.destroy());
    try {
      upgrade(upgradeOf(request), request, socket, head, request_id);
    } catch (error) {
      refuseConnection(socket, toHttpError(error), request_id);
    }
  });
  server.on("clientError", (error, socket) => refuseInvalid(error, socket, createId()));
  return server;
}

const operatorErrors: ReadonlySet<HttpErrorCode> = new Set(["internal", "damaged", "log_unavailable", "disk_full"]);

const upgradeRequired = () =>
  new HttpError("upgrade_required", "This path serves only WebSocket connections.", { Upgrade: "websocket" });

function notAllowed(found: Found | undefined, message: string): HttpError {
  const allow = found && "allow" in found ? found.allow : [];
  return new HttpError("method_not_allowed", message, { Allow: [...new Set(allow)].join(", ") });
}

function targetOf(request: IncomingMessage): { pathname: string; query: URLSearchParams } {
  const target = request.url ?? "";
  if (!target.startsWith("/"))
    throw new HttpError("bad_request", "The request target must be a path that begins with /.");
  const cut = target.indexOf("?");
  if (cut === -1) return { pathname: target, query: new URLSearchParams() };
  return { pathname: target.slice(0, cut), query: new URLSearchParams(target.slice(cut + 1)) };
}

const parserErrors: Readonly<Record<string, HttpError>> = {
  HPE_HEADER_OVERFLOW: new HttpError("headers_too_large", "The headers are larger than 16 KiB."),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError("request_timeout", "The request was not complete in time."),
};

/** Answers a request that Node's parser rejects: invalid HTTP, too many headers, or incomplete for too long. */
function refuseInvalid(error: NodeJS.ErrnoException, socket: Duplex, request_id: string): void {
  // Browsers open connections in advance; an unused one is closed without an answer.
  const isUnused = "bytesRead" in socket && socket.bytesRead === 0;
  if (error.code === "ECONNRESET" || !socket.writable || isUnused) socket.destroy();
  else {
    const known = parserErrors[error.code ?? ""] ?? new HttpError("bad_request", "The request is not valid HTTP.");
    refuseConnection(socket, known, request_id);
  }
}
