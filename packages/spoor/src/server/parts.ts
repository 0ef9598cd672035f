import type { Feeds } from "../log/feed/feed.ts";
import type { Log } from "../log/log.ts";
import type { Streams } from "./feeds/streams.ts";
import type { Auth } from "./http/auth.ts";

/** What routes are made of. */
export interface Parts {
  log: Log;
  feeds: Feeds;
  streams: Streams;
  auth: Auth;
  /** Where the server answers; known once it listens. */
  url(): string;
  /** Milliseconds a live stream stays after its run's terminal event, for what follows it. */
  linger: number;
  isStopping(): boolean;
}
