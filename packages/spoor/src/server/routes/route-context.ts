import type { OfferedKind } from "../../runtime/queue/executor.ts";
import type { FeedContext } from "../feeds/feed-context.ts";
import type { ServerAuth } from "../http/auth.ts";

/** The parts of a server that routes are built from. */
export interface RouteContext extends FeedContext {
  auth: ServerAuth;
  /** The data directory. */
  directory: string;
  /** Kinds of tasks besides those of the runtime. */
  kinds: readonly OfferedKind[];
  /** Whether runs of this kind can be performed. */
  canExecute(kind: string): boolean;
  /** The server's own URL; known once it listens. */
  url(): string;
  isStopping(): boolean;
}
