import type { IncomingMessage, ServerResponse } from "node:http";
import type * as api from "@spoor/protocol/api";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Api = typeof api;

/** A schema of the protocol, by name: the schemas are loaded when somebody asks for a description. */
export type SchemaName = { [Name in keyof Api]: Api[Name] extends { static: unknown } ? Name : never }[keyof Api];

/** One line of the table that routing, the guard, /openapi.json and /docs are made from. */
export interface Route {
  method: Method;
  /** `/v1/runs/{run_id}`; what begins with /v1 answers under /hecate/v1 as well. */
  path: string;
  /** Its `operationId`: a verb first, in camelCase, and never changed, for generated clients are named by it. */
  operation: string;
  summary: string;
  description?: string;
  /** `open` needs no token, `login` may also be reached by a link on another site. */
  access?: "open" | "login";
  /** An object whose fields are the parameters. */
  query?: SchemaName;
  headers?: Readonly<Record<string, string>>;
  body?: SchemaName;
  answers: Readonly<Record<number, Answer>>;
  handle(call: Call): void | Promise<void>;
}

export interface Answer {
  description: string;
  /** By media type; without a schema where JSON Schema says nothing useful. */
  content?: Readonly<Record<string, SchemaName | undefined>>;
}

export interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  request_id: string;
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

export type Found = { route: Route; path: Record<string, string> } | { allow: Method[] };

/** Finds the line for a path, or the methods it has when the method is another; undefined for no path of ours. */
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
      // Ids, codes and names of files hold nothing that needs an escape or leads elsewhere; nothing else is looked up.
      if (!/^[\w-][\w.-]{0,127}$/.test(part)) return undefined;
      path[expected.slice(1, -1)] = part;
    } else if (expected !== part) return undefined;
  }
  return path;
}
