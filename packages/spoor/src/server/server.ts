import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { HEARTBEAT_MS } from "@spoor/protocol/api/values";
import { createUlidSource } from "@spoor/protocol/ids";
import { createFeeds } from "../log/feed/feed.ts";
import type { Log } from "../log/log.ts";
import { createStreams } from "./feeds/streams.ts";
import { createWebSockets, websocketRoute } from "./feeds/websocket.ts";
import { type Auth, createAuth } from "./http/auth.ts";
import { createConnections } from "./http/connections.ts";
import { mostDescriptors } from "./http/descriptors.ts";
import { createGuard, type Guard } from "./http/guard.ts";
import { bracketed, hostNames, isLoopback, unbracketed } from "./http/hosts.ts";
import { createListener } from "./http/listener.ts";
import type { Route } from "./http/route.ts";
import { isToken, tokenOf } from "./http/token.ts";
import type { Parts } from "./parts.ts";
import { eventRoutes } from "./routes/events.ts";
import { postRoutes } from "./routes/post-event.ts";
import { recordRoutes } from "./routes/records.ts";
import { snapshotRoutes } from "./routes/snapshot-routes.ts";
import { systemRoutes } from "./routes/system.ts";

export type { Call, Route } from "./http/route.ts";
export { createToken, tokenOf } from "./http/token.ts";
export type { Parts } from "./parts.ts";

export interface ServerOptions {
  log: Log;
  /** Needed to listen beyond loopback. Without it the one in `directory` is used, made at first start. */
  token?: string;
  /** The data directory. */
  directory?: string;
  /** 127.0.0.1 when absent. */
  host?: string;
  /** 0, when absent: any that is free. */
  port?: number;
  /** Further names the server goes by, for a proxy in front of it; with a port unless it is the usual one, or ours. */
  allowedHosts?: readonly string[];
  /** Further pages that may call it, such as a page under development. */
  allowedOrigins?: readonly string[];
  /** More lines for the table: commands, pages. */
  routes?(parts: Parts): readonly Route[];
  /** Told about faults of ours; an answer shows none of them. */
  onFault?(error: unknown, request_id: string): void;
  /** 4,000 when absent, and at most four fifths of the connections. */
  maxStreams?: number;
  /** 5,000 when absent, and less when the system allows the process fewer open files. */
  maxConnections?: number;
  /** Milliseconds between signs of life on a stream. */
  heartbeat?: number;
  /** Milliseconds a live stream stays after its run's terminal event. */
  linger?: number;
}

export interface SpoorServer {
  readonly url: string;
  /** Logs a browser in: works once. */
  readonly loginUrl: string;
  createLoginUrl(): string;
  /** Streams end with a word, requests that are being answered are finished; after `grace` ms the rest is cut. The log stays open. */
  close(grace?: number): Promise<void>;
}

/** Files that the log, its neighbours and the process itself may need beside the connections. */
const KEPT_DESCRIPTORS = 128;
const STREAM_SHARE = 0.8;

export async function createServer(options: ServerOptions): Promise<SpoorServer> {
  const { log, port = 0, heartbeat = HEARTBEAT_MS, linger = 1_000 } = options;
  const host = unbracketed(options.host ?? "127.0.0.1");
  const token = await chosenToken(options, host);
  const feeds = createFeeds(log);
  const createId = createUlidSource({ prefix: "req_" });
  const mostConnections = Math.min(options.maxConnections ?? 5_000, Math.max(mostDescriptors() - KEPT_DESCRIPTORS, 8));
  const connections = createConnections(mostConnections, createId);
  // Streams stay open, so that some room is kept for requests.
  const mostStreams = Math.min(options.maxStreams ?? 4_000, Math.floor(mostConnections * STREAM_SHARE));
  const streams = createStreams({ most: mostStreams, beatEvery: heartbeat });
  // Who may come is known only once the port is.
  let guard: Guard;
  let auth: Auth;
  let url = "";
  let stopping = false;

  const parts: Parts = {
    log,
    feeds,
    streams,
    linger,
    auth: {
      authorise: (request) => auth.authorise(request),
      issueCode: () => auth.issueCode(),
      redeem: (code) => auth.redeem(code),
    },
    url: () => url,
    isStopping: () => stopping,
  };
  const routes: Route[] = [
    ...recordRoutes(parts),
    ...eventRoutes(parts),
    ...postRoutes(parts),
    ...snapshotRoutes(parts),
    websocketRoute,
    ...systemRoutes(parts, () => routes),
    ...(options.routes?.(parts) ?? []),
  ];
  const sockets = createWebSockets(
    parts,
    {
      admit: (...args) => guard.admit(...args),
      ownPage: (request) => guard.ownPage(request),
    },
    connections.trust,
  );
  const listener = createListener({
    routes,
    guard: () => guard,
    auth: () => auth,
    upgrade: sockets.upgrade,
    isStopping: parts.isStopping,
    createId,
    onFault: options.onFault ?? ((error, request_id) => console.error(request_id, error)),
    connections,
  });

  listener.listen(port, host === "*" ? "::" : host);
  try {
    await once(listener, "listening");
  } catch (error) {
    streams.close("shutting_down");
    feeds.close();
    throw error;
  }
  const bound = (listener.address() as AddressInfo).port;
  const hosts = hostNames(host, bound, options.allowedHosts);
  guard = createGuard(
    hosts,
    new Set([
      ...[...hosts].map((name) => `http://${name}`),
      // What is in front of us may speak TLS.
      ...(options.allowedHosts ?? []).map((name) => `https://${name.toLowerCase()}`),
      ...(options.allowedOrigins ?? []),
    ]),
  );
  auth = createAuth({ token, port: bound, guard });
  url = `http://${bracketed(isWildcard(host) ? "127.0.0.1" : host)}:${bound}`;
  const createLoginUrl = () => `${url}/login/${auth.issueCode().code}`;

  return {
    url,
    loginUrl: createLoginUrl(),
    createLoginUrl,
    async close(grace = 5_000) {
      if (stopping) return;
      stopping = true;
      const closed = once(listener, "close");
      listener.close();
      // Browsers open connections before they need them, and all keep those that were answered: neither is waited for.
      listener.keepAliveTimeout = 1;
      connections.closeUnused();
      streams.close("shutting_down");
      const deadline = setTimeout(() => {
        listener.closeAllConnections();
        sockets.terminate();
      }, grace);
      await closed;
      clearTimeout(deadline);
      feeds.close();
    },
  };
}

async function chosenToken({ token, directory }: ServerOptions, host: string): Promise<string> {
  if (token !== undefined) {
    if (!isToken(token))
      throw new TypeError("A token is 22 to 256 letters, digits, - or _. Leave it out to have one made.");
    return token;
  }
  if (!isLoopback(host)) {
    throw new TypeError(
      `Others could reach ${host || "every address"}. Pass a token (--token-file) to listen there, or listen on 127.0.0.1.`,
    );
  }
  if (directory === undefined) throw new TypeError("Pass a token, or the directory that holds it.");
  return tokenOf(directory);
}

const isWildcard = (host: string): boolean => ["0.0.0.0", "::", "*", ""].includes(host);
