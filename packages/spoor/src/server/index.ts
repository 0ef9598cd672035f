// `spoor/server`: serve a data directory, or one open log, over HTTP, SSE and WebSocket.
/// <reference types="node" preserve="true" />

export type { FeedContext } from "./feeds/feed-context.ts";
export type { OpenStream, OpenStreams } from "./feeds/open-streams.ts";
export type { SseOptions, SseResponse } from "./feeds/sse-response.ts";
export type { StreamLanguage, StreamTranslator } from "./feeds/stream-language.ts";
export type { ServerAuth } from "./http/auth.ts";
export type {
  ApiSchemas,
  Method,
  Route,
  RouteAnswer,
  RouteCall,
  RouteHandler,
  RouteSocket,
  RouteUpgrade,
  SchemaName,
  ServeSocket,
  SocketReader,
} from "./http/route.ts";
export type { RouteContext } from "./routes/route-context.ts";
export type { WebhookControl } from "./routes/webhook-control.ts";
export { createServer, type ServerOptions, type SpoorServer } from "./server.ts";
export type { RunningServer, ServerNote } from "./serving/claim.ts";
export { findServer } from "./serving/running-server.ts";
export { DEFAULT_PORT, type LogFollower, type ServeOptions, type Serving, serve } from "./serving/serve.ts";
export { ServeError, type ServeErrorCode } from "./serving/serve-error.ts";
