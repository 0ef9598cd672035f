import { once } from "node:events";
import { inTurn } from "../../log/feed/turns.ts";
import type { EventSource } from "../feeds/event-source.ts";
import type { RouteCall } from "../http/route.ts";

/** Bytes that are read from the log at a time. That takes about 2 ms. 1.5× as fast as pages of 256 KiB. */
const PAGE_BYTES = 1024 * 1024;

/** Sends all events after the cursor, as the bytes that are stored. */
export async function sendNdjson({ response }: RouteCall, { read, match }: EventSource, start = -1): Promise<void> {
  let after = start;
  response.writeHead(200, { "Content-Type": "application/x-ndjson; charset=utf-8" });
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  try {
    for (let more = true; more; ) {
      const page = await inTurn(() => read({ after, maxBytes: PAGE_BYTES, ...(match && { match }) }));
      closed.signal.throwIfAborted();
      let hasRoom = true;
      for (const { bytes } of page.pieces) hasRoom = response.write(bytes);
      if (!hasRoom) await once(response, "drain", { signal: closed.signal });
      after = page.next;
      more = page.more;
    }
    response.end();
  } catch (error) {
    // The status was sent. Cutting the connection shows the client that the answer is incomplete.
    response.destroy();
    if (!closed.signal.aborted) throw error;
  }
}
