import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createEventStore } from "./event-store.ts";

/** The sessions of clients that speak streamable HTTP. Whoever calls this has checked Host, Origin and token. */
export interface HttpSessions {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  readonly size: number;
  /** Ends all sessions and their streams. */
  close(): Promise<void>;
}

export interface HttpSessionsOptions {
  /** Makes the server of a new session. */
  createServer(): Promise<Server>;
  /** When there are more, the one that was idle for longest ends. Its client gets 404 and begins a new one. */
  maxSessions?: number;
  /** A session without a request for so long ends, in milliseconds. */
  idleMs?: number;
}

interface Session {
  transport: StreamableHTTPServerTransport;
  server: Server;
  usedAt: number;
  /** Requests and streams that are open. */
  open: number;
}

/** The largest body of a request, in bytes. */
const MAX_BODY = 4 * 1024 * 1024;
/** After how many milliseconds a client shall come back to a stream that broke. */
const RETRY_MS = 1_000;

export function createHttpSessions(options: HttpSessionsOptions): HttpSessions {
  const { createServer, maxSessions = 100, idleMs = 3_600_000 } = options;
  const sessions = new Map<string, Session>();
  const timer = setInterval(() => void endIdle(Date.now() - idleMs), Math.min(idleMs, 60_000)).unref();

  async function endIdle(before: number): Promise<void> {
    const idle = [...sessions.values()].filter(({ usedAt, open }) => open === 0 && usedAt < before);
    await Promise.all(idle.map(({ server }) => server.close()));
  }

  async function makeRoom(): Promise<void> {
    if (sessions.size < maxSessions) return;
    const [oldest] = [...sessions.values()].sort((a, b) => a.open - b.open || a.usedAt - b.usedAt);
    await oldest?.server.close();
  }

  async function begin(): Promise<Session> {
    const server = await createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
      maxRequestBodySize: MAX_BODY,
      onsessioninitialized: async (id) => {
        await makeRoom();
        sessions.set(id, session);
      },
    });
    const session: Session = { transport, server, usedAt: Date.now(), open: 0 };
    const { onclose } = server;
    server.onclose = () => {
      onclose?.();
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    // The SDK declares its own transport without `exactOptionalPropertyTypes`.
    await server.connect(transport as Parameters<Server["connect"]>[0]);
    return session;
  }

  return {
    get size() {
      return sessions.size;
    },
    async handle(request, response) {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? sessions.get(id) : undefined;
      if (id !== undefined && !known)
        return refuse(response, 404, "Session not found. Begin a new one with initialize.");
      if (!known && request.method !== "POST") {
        return refuse(response, 400, "The header Mcp-Session-Id is missing. Begin a session with initialize.");
      }
      const session = known ?? (await begin());
      session.usedAt = Date.now();
      session.open += 1;
      response.once("close", () => {
        session.open -= 1;
        session.usedAt = Date.now();
        // A first request that was not `initialize` began no session.
        if (session.transport.sessionId === undefined) void session.server.close();
      });
      await session.transport.handleRequest(request, response);
    },
    async close() {
      clearInterval(timer);
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32001, message } });
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}
