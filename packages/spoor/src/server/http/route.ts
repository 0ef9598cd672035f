import type { IncomingMessage, ServerResponse } from "node:http";
import type * as api from "@spoor/protocol/api";

/** The HTTP methods of routes. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The schemas of the HTTP interface by name. */
export type ApiSchemas = typeof api;

/** The name of a schema in the protocol. Schemas are loaded only for descriptions of the interface. */
export type SchemaName = {
  [Name in keyof ApiSchemas]: ApiSchemas[Name] extends { static: unknown } ? Name : never;
}[keyof ApiSchemas];

/** One row of the table from which routing, access checks, /openapi.json and /docs are derived. */
export interface Route {
  method: Method;
  /** Such as `/v1/runs/{run_id}`. Paths under /v1 also work under /hecate/v1. */
  path: string;
  /** The `operationId`: a verb first, in camelCase. Never change it: generated clients use it as a method name. */
  operation: string;
  summary: string;
  description?: string;
  /** `open` needs no token; `login` may also be reached by a link on another site. */
  access?: "open" | "login";
  /** The schema of an object whose fields are the query parameters. */
  query?: SchemaName;
  /** Whether the route takes `as`. Every other route refuses it, so that nobody takes our events for those of another language. */
  translates?: true;
  headers?: Readonly<Record<string, string>>;
  body?: SchemaName;
  /** Whether a request may come without a body. */
  bodyOptional?: true;
  answers: Readonly<Record<number, RouteAnswer>>;
  /** Absent if the route only has `upgrade`: then a plain request is answered with 426. */
  handle?: RouteHandler;
  /** Makes WebSockets of the route's connections. */
  upgrade?: RouteUpgrade;
}

/** Answers a request to a route. */
export type RouteHandler = (call: RouteCall) => void | Promise<void>;

/** How a route serves WebSockets. Guard, token and path are checked before, as for every request. */
export interface RouteUpgrade {
  /** A connection is closed if its client sends a larger message. */
  maxMessageBytes: number;
  /** Called with the first connection: loads what serves the connections. */
  load(): Promise<ServeSocket>;
}

/** Serves one connection. */
export type ServeSocket = (socket: RouteSocket) => SocketReader;

/** What a route does with a connection. */
export interface SocketReader {
  /** Handles a message of the client; undefined means a binary message. */
  receive(message: string | undefined): void;
  /**
   * The connection is about to be closed, and what is sent now still arrives. `shutting_down`: the server stops;
   * `message_too_large`: the client sent a message that is not read.
   */
  end?(reason: string): void;
  /** The connection is closed. */
  close(): void;
}

/** A WebSocket, as far as routes use it. One of the package `ws` is one. */
export interface RouteSocket {
  /** Bytes that are not sent yet. */
  readonly bufferedAmount: number;
  readonly isPaused: boolean;
  send(message: string | Buffer, options: { binary?: boolean }, onSent?: () => void): void;
  /** Stops and goes on reading what the client sends. */
  pause(): void;
  resume(): void;
  close(code?: number, reason?: string): void;
}

/** One answer of a route, as /openapi.json describes it. */
export interface RouteAnswer {
  description: string;
  /** Schemas by media type; undefined where JSON Schema cannot describe the content. */
  content?: Readonly<Record<string, SchemaName | undefined>>;
}

/** One request to a route. */
export interface RouteCall {
  request: IncomingMessage;
  response: ServerResponse;
  request_id: string;
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Reads the body as JSON. Throws if it is none, or if it is too large. */
  json(): Promise<unknown>;
}

export type Found = { route: Route; path: Record<string, string> } | { allow: Method[] };

/** Finds the route for a path, or the allowed methods when only the method differs; undefined for an unknown path. */
export function createRouter(routes: readonly Route[]): (method: string, pathname: string) => Found | undefined {
  const compiled = routes.map((route) => ({ route, parts: route.path.split("/") }));
  return (method, pathname) => {
    const parts = (pathname.startsWith("/hecate/v1/") ? pathname.slice("/hecate".length) : pathname).split("/");
    const wanted = method === "HEAD" ? "GET" : method;
    const allow: Method[] = [];
    for (const { route, parts: pattern } of compiled) {
      const path = matched(pattern, parts);
      if (path && route.method === wanted) return { route, path };
      if (path) allow.push(route.method);
    }
    return allow.length > 0 ? { allow } : undefined;
  };
}

function matched(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const path: Record<string, string> = {};
  for (let index = 0; index < pattern.length; index++) {
    const expected = pattern[index] as string;
    const part = parts[index] as string;
    if (expected.startsWith("{")) {
      // Ids, codes and file names need no escapes; anything else, such as `..`, matches no route.
      if (!/^[\w-][\w.-]{0,127}$/.test(part)) return undefined;
      path[expected.slice(1, -1)] = part;
    } else if (expected !== part) return undefined;
  }
  return path;
}
