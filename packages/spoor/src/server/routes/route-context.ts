import type { FeedContext } from "../feeds/feed-context.ts";
import type { Auth } from "../http/auth.ts";

/** The parts of a server that routes are built from. */
export interface RouteContext extends FeedContext {
  auth: Auth;
  /** The server's own URL; known once it listens. */
  url(): string;
  isStopping(): boolean;
}
