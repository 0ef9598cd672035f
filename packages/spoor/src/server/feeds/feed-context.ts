import type { Feeds } from "../../log/feed/feed.ts";
import type { Log } from "../../log/log.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamLanguage } from "./stream-language.ts";

/** The parts of a server that serving events needs. */
export interface FeedContext {
  log: Log;
  feeds: Feeds;
  streams: OpenStreams;
  /** Milliseconds a live stream stays open after its run's terminal event, because a few events may follow it. */
  linger: number;
  /** Languages besides our own in which runs can be streamed. */
  languages: readonly StreamLanguage[];
}
