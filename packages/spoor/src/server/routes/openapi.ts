import * as api from "@spoor/protocol/api";
import { httpErrorCodes } from "../http/http-error.ts";
import type { Route, SchemaName } from "../http/route.ts";

/** Describes the routes as OpenAPI 3.1. Loads all schemas: import this at the first request. */
export function openApi(routes: readonly Route[], url: string): object {
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
      description: "Every path under /v1 also works under /hecate/v1. A route that answers 101 is a WebSocket.",
    },
    servers: [
      { url, description: "The server itself." },
      { url: "/", description: "The address from which this description was read, such as a proxy." },
    ],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "spoor_<port>" },
      },
      schemas: { ...Object.fromEntries(routes.flatMap(namesIn).map((name) => [name, schemas[name]])), ErrorAnswer },
    },
  };
}

const schemas: Readonly<Record<SchemaName, object>> = { ...api };

/** Every schema that a route's body or answers name. */
const namesIn = ({ body, answers }: Route): SchemaName[] =>
  [body, ...Object.values(answers).flatMap(({ content = {} }) => Object.values(content))].filter(
    (name) => name !== undefined,
  );

/** The query parameters that a schema defines. */
export function parametersOf(query: SchemaName | undefined): [name: string, schema: Parameter][] {
  const schema = query === undefined ? {} : schemas[query];
  return "properties" in schema ? Object.entries(schema.properties as object) : [];
}

/** The JSON Schema of a parameter, as far as it is shown. */
export interface Parameter {
  description?: string;
  anyOf?: { const: string }[];
  minimum?: number;
  maximum?: number;
  default?: number;
}

const { error } = api.ErrorAnswer.properties;
const code = { ...error.properties.code, enum: httpErrorCodes };
const ErrorAnswer = {
  ...api.ErrorAnswer,
  properties: { error: { ...error, properties: { ...error.properties, code } } },
};

function operation(route: Route) {
  const answers = Object.entries(route.answers).map(([status, { description, content }]) => [
    status,
    { description, ...(content && { content: contentOf(content) }) },
  ]);
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.access && { security: [] }),
    parameters: [...inPath(route), ...inQuery(route), ...inHeaders(route)],
    ...(route.body && { requestBody: { required: true, content: contentOf({ "application/json": route.body }) } }),
    responses: {
      ...Object.fromEntries(answers),
      default: { description: "An error.", content: contentOf({ "application/json": "ErrorAnswer" }) },
    },
  };
}

const contentOf = (content: Readonly<Record<string, SchemaName | undefined>>) =>
  Object.fromEntries(
    Object.entries(content).map(([type, name]) => [
      type,
      name ? { schema: { $ref: `#/components/schemas/${name}` } } : {},
    ]),
  );

const text = { type: "string" };

const inPath = ({ path }: Route) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: text }));

const inQuery = ({ query }: Route) =>
  parametersOf(query).map(([name, { description, ...schema }]) => ({ name, in: "query", description, schema }));

const inHeaders = ({ headers = {} }: Route) =>
  Object.entries(headers).map(([name, description]) => ({ name, in: "header", description, schema: text }));
