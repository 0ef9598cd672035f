import type { OfferedKind } from "../../runtime/queue/executor.ts";
import type { FeedContext } from "../feeds/feed-context.ts";
import type { SseOptions, SseResponse } from "../feeds/sse-response.ts";
import type { ServerAuth } from "../http/auth.ts";
import type { RouteCall } from "../http/route.ts";
import type { WebhookControl } from "./webhook-control.ts";

/** The parts of a server that routes are built from. */
export interface RouteContext extends FeedContext {
  auth: ServerAuth;
  /** The data directory. */
  directory: string;
  /** Kinds of tasks besides those of the runtime. */
  kinds: readonly OfferedKind[];
  /** Whoever sends webhooks; undefined if nobody does. */
  webhooks(): WebhookControl | undefined;
  /** Whether runs of this kind can be performed. */
  canExecute(kind: string): boolean;
  /** The server's own URL; known once it listens. */
  url(): string;
  isStopping(): boolean;
  /** Answers a request with server-sent events. Idle streams get comments as signs of life. */
  openSse(call: RouteCall, options: SseOptions): SseResponse;
}
