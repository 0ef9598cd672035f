import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { HEARTBEAT_MS } from "@spoor/protocol/api/values";
import { createUlidSource } from "@spoor/protocol/ids";
import { createFeeds } from "../log/feed/feed.ts";
import type { Log } from "../log/log.ts";
import { dataDirectory } from "../log/open.ts";
import type { OfferedKind } from "../runtime/queue/executor.ts";
import { createOpenStreams } from "./feeds/open-streams.ts";
import { openSseResponse } from "./feeds/sse-response.ts";
import type { StreamLanguage } from "./feeds/stream-language.ts";
import { bracketed, hostNames, isLoopback, unbracketed } from "./http/allowed-hosts.ts";
import { createAuth, type ServerAuth } from "./http/auth.ts";
import { closeListener } from "./http/close-listener.ts";
import { createConnections } from "./http/connections.ts";
import { createGuard, type Guard } from "./http/guard.ts";
import { createListener, type ListenerOptions } from "./http/listener.ts";
import { openFileLimit } from "./http/open-file-limit.ts";
import type { Route } from "./http/route.ts";
import { isToken, tokenOf } from "./http/token.ts";
import { pagePath } from "./page/page-path.ts";
import type { ServePage } from "./page/serve-page.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { artifactRoutes } from "./routes/artifacts.ts";
import { commandRoutes } from "./routes/commands.ts";
import { demoRoutes } from "./routes/demo.ts";
import { eventRoutes } from "./routes/events.ts";
import { postRoutes } from "./routes/post-event.ts";
import type { RouteContext } from "./routes/route-context.ts";
import { runAndTaskRoutes } from "./routes/runs-and-tasks.ts";
import { snapshotRoutes } from "./routes/snapshots.ts";
import { systemRoutes } from "./routes/system.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { createUpgrades } from "./routes/upgrades.ts";
import { usageRoutes } from "./routes/usage.ts";
import type { WebhookControl } from "./routes/webhook-control.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { websocketRoutes } from "./routes/websocket.ts";

export type { Route, RouteCall } from "./http/route.ts";
export { createToken, tokenOf } from "./http/token.ts";
export type { RouteContext } from "./routes/route-context.ts";

/** Which log to serve, and where to listen. */
export interface ServerOptions {
  log: Log;
  /** Required to listen on other addresses than loopback. By default the token in `directory`, created at first start. */
  token?: string;
  /** The data directory. */
  directory?: string;
  /** 127.0.0.1 by default. */
  host?: string;
  /** 0 by default: the system chooses a free port. */
  port?: number;
  /** Further allowed `Host` names, for a proxy in front of the server. Add the port if it is neither the default nor this server's. */
  allowedHosts?: readonly string[];
  /** Origins of further pages that may call the server, such as a page under development. */
  allowedOrigins?: readonly string[];
  /** The folder of the built web page. By default the one of this package. */
  page?: string;
  /** Kinds of tasks besides those of the runtime, such as `loop`. */
  kinds?: readonly OfferedKind[];
  /** Languages besides our own in which runs can be streamed with `?as=`. */
  languages?: readonly StreamLanguage[];
  /** Returns whoever sends webhooks, which may begin after the server. */
  webhooks?(): WebhookControl | undefined;
  /** Whether tasks of a kind can be started. By default all can, except those of our own loop if `kinds` does not offer it. */
  canExecute?(kind: string): boolean;
  /** Additional routes. */
  routes?(context: RouteContext): readonly Route[];
  /** Receives internal errors, which answers do not show. */
  onFault?(error: unknown, request_id: string): void;
  /** 4,000 by default, and at most four fifths of `maxConnections`. */
  maxStreams?: number;
  /** 5,000 by default, and less if the system allows the process fewer open files. */
  maxConnections?: number;
  /** Milliseconds between heartbeats on an idle stream. */
  heartbeat?: number;
  /** Milliseconds a live stream stays open after its run's terminal event. */
  linger?: number;
}

/** A server that listens. */
export interface SpoorServer {
  readonly url: string;
  /** Logs a browser in. Works once. */
  readonly loginUrl: string;
  createLoginUrl(): string;
  /** Ends streams with a `bye` frame and finishes running requests; after `grace` ms closes the rest. The log stays open. */
  close(grace?: number): Promise<void>;
}

/** Open files that the log and the process need in addition to the connections. */
const RESERVED_FILES = 128;
const STREAM_SHARE = 0.8;

/**
 * Serves a log that the program has opened, and nothing else: `serve` also does what `spoor serve` does for a directory.
 *
 * @example
 * const server = await createServer({ log, directory: "./runs", port: 8765 });
 * console.log(server.loginUrl);
 * process.once("SIGINT", () => server.close());
 */
export async function createServer(options: ServerOptions): Promise<SpoorServer> {
  const { log, port = 0, heartbeat = HEARTBEAT_MS, linger = 1_000, kinds = [], languages = [] } = options;
  // Node would take a text for the path of a socket.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`port must be a whole number from 0 to 65535, not ${JSON.stringify(port)}.`);
  }
  const host = unbracketed(options.host ?? "127.0.0.1");
  const token = await chooseToken(options, host);
  const feeds = createFeeds(log);
  const createId = createUlidSource({ prefix: "req_" });
  const maxConnections = Math.min(options.maxConnections ?? 5_000, Math.max(openFileLimit() - RESERVED_FILES, 8));
  const connections = createConnections(maxConnections, createId);
  // Streams stay open, so some connections are kept for other requests.
  const maxStreams = Math.min(options.maxStreams ?? 4_000, Math.floor(maxConnections * STREAM_SHARE));
  const streams = createOpenStreams({ max: maxStreams, heartbeatMs: heartbeat });
  // Set once the port is known, before the first request is handled.
  let guard: Guard;
  let auth: ServerAuth;
  let url = "";
  let stopping = false;

  const context: RouteContext = {
    log,
    feeds,
    streams,
    linger,
    directory: options.directory ?? dataDirectory(),
    kinds,
    languages,
    webhooks: options.webhooks ?? (() => undefined),
    canExecute:
      options.canExecute ?? ((kind) => kind !== "agent_loop" || kinds.some((offered) => offered.kind === kind)),
    auth: {
      authorise: (request) => auth.authorise(request),
      issueCode: () => auth.issueCode(),
      redeem: (code) => auth.redeem(code),
    },
    url: () => url,
    isStopping: () => stopping,
    openSse: (call, options) => openSseResponse(call, streams, options),
  };
  const routes: Route[] = [
    ...runAndTaskRoutes(context),
    ...taskRoutes(context),
    ...demoRoutes(context),
    ...approvalRoutes(context),
    ...commandRoutes(context),
    ...agentRoutes(context),
    ...artifactRoutes(context),
    ...eventRoutes(context),
    ...postRoutes(context),
    ...snapshotRoutes(context),
    ...usageRoutes(context),
    ...webhookRoutes(context),
    ...websocketRoutes(context),
    ...systemRoutes(context, () => routes),
    ...(options.routes?.(context) ?? []),
  ];
  const upgrades = createUpgrades(context);
  const listener = createListener({
    routes,
    languages,
    page: lazyPage(options.page),
    guard: () => guard,
    auth: () => auth,
    upgrade: upgrades.open,
    isStopping: context.isStopping,
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
      // A proxy in front of the server may use TLS.
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
      await closeListener({
        listener,
        connections,
        endStreams: () => streams.close("shutting_down"),
        grace,
        cutOff: () => upgrades.terminate(),
      });
      feeds.close();
    },
  };
}

/** The page is loaded with the first request for it. */
function lazyPage(folder: string | undefined): ListenerOptions["page"] {
  let page: Promise<ServePage> | undefined;
  return (request, pathname) => {
    const wanted = pagePath(request, pathname);
    if (!wanted) return undefined;
    page ??= import("./page/serve-page.ts").then(({ createPage }) => createPage(folder));
    const loaded = page;
    return async (response) => (await loaded)(request, response, wanted);
  };
}

async function chooseToken({ token, directory }: ServerOptions, host: string): Promise<string> {
  if (token !== undefined) {
    if (!isToken(token))
      throw new TypeError(
        "The token is invalid: it must be 22 to 256 letters, digits, - or _. Leave it out to use the one in the data directory.",
      );
    return token;
  }
  if (!isLoopback(host)) {
    throw new TypeError(
      `Other machines could reach ${host || "every address"}, so a token is required. Make one with \`openssl rand -hex 32 > token\` and pass it with \`--token-file token\`, or listen on 127.0.0.1.`,
    );
  }
  if (directory === undefined)
    throw new TypeError("The server needs a token. Pass one, or the directory that holds it.");
  return tokenOf(directory);
}

const isWildcard = (host: string): boolean => ["0.0.0.0", "::", "*", ""].includes(host);
