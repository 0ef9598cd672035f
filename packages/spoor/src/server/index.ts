// `spoor/server`: serve a data directory, or one open log, over HTTP, SSE and WebSocket.
/// <reference types="node" preserve="true" />

export { createServer, type Route, type RouteContext, type ServerOptions, type SpoorServer } from "./server.ts";
export type { RunningServer, ServerNote } from "./serving/claim.ts";
export { findServer } from "./serving/running-server.ts";
export { DEFAULT_PORT, type ServeOptions, type Serving, serve } from "./serving/serve.ts";
export { ServeError, type ServeErrorCode } from "./serving/serve-error.ts";
