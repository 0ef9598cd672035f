import type { FeedContext } from "../feeds/feed-context.ts";
import type { ServerAuth } from "../http/auth.ts";

/** The parts of a server that routes are built from. */
export interface RouteContext extends FeedContext {
  auth: ServerAuth;
  /** The data directory. */
  directory: string;
  /** Whether runs of this kind can be performed. */
  canExecute(kind: string): boolean;
  /** The server's own URL; known once it listens. */
  url(): string;
  isStopping(): boolean;
}
