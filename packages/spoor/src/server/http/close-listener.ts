import { once } from "node:events";
import type { Server } from "node:http";
import type { Connections } from "./connections.ts";

export interface ClosingOptions {
  listener: Server;
  connections: Connections;
  /** Ends what stays open: streams, and whatever else would wait for its client. */
  endStreams(): void;
  /** Milliseconds that running requests have. Then `cutOff` is called. */
  grace: number;
  cutOff?(): void;
}

/** Stops listening, and resolves when the last connection is closed. */
export async function closeListener(options: ClosingOptions): Promise<void> {
  const { listener, connections, endStreams, grace, cutOff } = options;
  const closed = once(listener, "close");
  listener.close();
  // Do not wait for unused connections, which browsers open in advance, nor for idle ones that are kept alive.
  listener.keepAliveTimeout = 1;
  connections.closeUnused();
  endStreams();
  const deadline = setTimeout(() => {
    listener.closeAllConnections();
    cutOff?.();
  }, grace);
  await closed;
  clearTimeout(deadline);
}
