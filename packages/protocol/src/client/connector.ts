import { HEARTBEAT_MS } from "../api/values.ts";
import { type BackOff, defaultBackOff } from "./back-off.ts";
import { clientError } from "./errors.ts";
import type { Connector } from "./http.ts";
import { type Clock, type Fetch, platformClock, platformFetch } from "./web-platform.ts";

export interface SpoorClientOptions {
  /** The address of the server, such as `http://127.0.0.1:8765`. Empty in a page that the server itself delivered. */
  url: string;
  /** Sent as `Authorization: Bearer`. A function is called before every request. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  fetch?: Fetch | undefined;
  /** A connection that is silent for longer is closed and replaced; `Infinity` for never. Three heartbeats when absent. */
  staleAfterMs?: number | undefined;
  backOff?: Partial<BackOff> | undefined;
  /** The longest frame, in characters, that is accepted from a stream. */
  maxFrameLength?: number | undefined;
  clock?: Partial<Clock> | undefined;
}

/** Returns what all requests of a client share. Throws `bad_url` for an address that is none. */
export function connectorOf({ url, token, fetch = platformFetch, ...options }: SpoorClientOptions): Connector {
  // `fetch` would report a bad address as a network error, and the client would retry forever.
  if (!/^(?:$|\/|https?:\/\/)/i.test(url))
    throw clientError("bad_url", `${JSON.stringify(url)} is not the address of a server.`);
  return {
    url: url.replace(/\/+$/, ""),
    token: typeof token === "string" ? () => token : token,
    fetch,
    clock: { ...platformClock, ...options.clock },
    backOff: { ...defaultBackOff, ...options.backOff },
    staleAfterMs: options.staleAfterMs ?? 3 * HEARTBEAT_MS,
    maxFrameLength: options.maxFrameLength,
  };
}
