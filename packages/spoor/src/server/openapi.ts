import { type TSchema, Type } from "@sinclair/typebox";
import { httpErrorCodes } from "./errors.ts";
import { parameters } from "./parameters.ts";
import type { Route } from "./route.ts";

/** The table of routes as OpenAPI 3.1. Schemas are JSON Schema as they are. */
export function openApi(routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    (paths[route.path] as Record<string, unknown>)[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Spoor",
      version: "1",
      description: "Everything under /v1 answers under /hecate/v1 as well. A WebSocket is at /v1/ws.",
    },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "spoor_<port>" },
      },
      schemas: { Error: ErrorBody },
    },
  };
}

const ErrorBody = Type.Object({
  error: Type.Object({
    code: Type.Union(httpErrorCodes.map((code) => Type.Literal(code))),
    message: Type.String(),
    hint: Type.String(),
    request_id: Type.String(),
  }),
});

function operation(route: Route) {
  const answers = Object.entries(route.answers).map(([status, { description, content }]) => [
    status,
    { description, ...(content && { content: mapped(content, (schema) => (schema ? { schema } : {})) }) },
  ]);
  const error = {
    description: "An error.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  return {
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.access && { security: [] }),
    parameters: [...inPath(route), ...inQuery(route), ...inHeaders(route)],
    ...(route.body && { requestBody: { required: true, content: { "application/json": { schema: route.body } } } }),
    responses: { ...Object.fromEntries(answers), default: error },
  };
}

const inPath = ({ path }: Route) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: Type.String() }));

const inQuery = ({ query = [] }: Route) =>
  query.map((name) => ({
    name,
    in: "query",
    description: parameters[name].description,
    schema: parameters[name].schema,
  }));

const inHeaders = ({ headers = {} }: Route) =>
  Object.entries(headers).map(([name, description]) => ({ name, in: "header", description, schema: Type.String() }));

const mapped = (fields: Readonly<Record<string, TSchema | undefined>>, to: (schema: TSchema | undefined) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, to(schema)]));
