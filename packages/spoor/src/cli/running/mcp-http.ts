import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createUlidSource } from "@spoor/protocol/ids";
import { createOpenStreams } from "../../server/feeds/open-streams.ts";
import { hostNames } from "../../server/http/allowed-hosts.ts";
import { createAuth, type ServerAuth } from "../../server/http/auth.ts";
import { closeListener } from "../../server/http/close-listener.ts";
import { createConnections } from "../../server/http/connections.ts";
import { createGuard, type Guard } from "../../server/http/guard.ts";
import { createListener } from "../../server/http/listener.ts";
import { tokenOf } from "../../server/http/token.ts";
import type { HttpSessionsOptions } from "../../translators/mcp/transports/http-sessions.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { shellWord } from "../output/shell-word.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { MCP_PATH, mcpRoutes } from "./mcp-routes.ts";

export interface McpHttpOptions {
  directory: string;
  createServer: HttpSessionsOptions["createServer"];
  port?: number;
  json: boolean;
}

const DEFAULT_PORT = 8766;
const HOST = "127.0.0.1";
const MAX_CONNECTIONS = 500;

/** Serves MCP and nothing else on this machine until a signal comes, with the checks and the token of `spoor serve`. */
export async function serveMcpOverHttp(options: McpHttpOptions, io: Io): Promise<void> {
  const { directory, createServer, port = DEFAULT_PORT, json } = options;
  const token = await tokenOf(directory).catch((error: Error) => {
    throw new ExitError(1, terminalSafe(error.message));
  });
  const createId = createUlidSource({ prefix: "req_" });
  const connections = createConnections(MAX_CONNECTIONS, createId);
  const streams = createOpenStreams({ max: MAX_CONNECTIONS, heartbeatMs: 15_000 });
  let stopping = false;
  // Set once the port is known, before the first request is handled.
  let guard: Guard;
  let auth: ServerAuth;
  const listener = createListener({
    routes: mcpRoutes(createServer, streams),
    page: () => undefined,
    guard: () => guard,
    auth: () => auth,
    // No route has an upgrade, so the listener refuses all of them.
    upgrade: (_upgrade, _request, socket) => socket.destroy(),
    isStopping: () => stopping,
    createId,
    onFault: (error, id) => io.stderr.write(`${id} ${terminalSafe(String((error as Error).stack ?? error))}\n`),
    connections,
  });
  listener.listen(port, HOST);
  await once(listener, "listening").catch((error: NodeJS.ErrnoException) => {
    streams.close("shutting_down");
    const reason = error.code === "EADDRINUSE" ? "another program uses it" : terminalSafe(error.message);
    throw new ExitError(1, `The server cannot listen on port ${port}: ${reason}. Choose another port (--port).`);
  });
  const { port: bound } = listener.address() as AddressInfo;
  const hosts = hostNames(HOST, bound);
  guard = createGuard(hosts, new Set([...hosts].map((name) => `http://${name}`)));
  auth = createAuth({ token, port: bound, guard });

  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  for (const signal of signals) process.on(signal, stop);
  const url = `http://${HOST}:${bound}${MCP_PATH}`;
  io.stdout.write(json ? `${JSON.stringify({ url, directory })}\n` : welcome(url, directory));
  await stopped.promise;
  for (const signal of signals) process.off(signal, stop);
  stopping = true;
  await closeListener({ listener, connections, endStreams: () => streams.close("shutting_down"), grace: GRACE_MS });
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** How long requests may take to finish. */
const GRACE_MS = 2_000;

const welcome = (url: string, directory: string): string => `Spoor serves MCP at ${url}
  the log is in ${terminalSafe(directory)}
  clients send the token of that folder: Authorization: Bearer $(cat ${shellWord(`${directory}/token`)})

  claude mcp add --transport http spoor ${url} --header "Authorization: Bearer $(cat ${shellWord(`${directory}/token`)})"

Ctrl-C stops the server.
`;
