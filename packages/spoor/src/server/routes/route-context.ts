import type { FeedContext } from "../feeds/feed-context.ts";
import type { ServerAuth } from "../http/auth.ts";

/** The parts of a server that routes are built from. */
export interface RouteContext extends FeedContext {
  auth: ServerAuth;
  /** The server's own URL; known once it listens. */
  url(): string;
  isStopping(): boolean;
}
