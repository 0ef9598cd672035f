import { once } from "node:events";
import { inTurn } from "../../log/feed/turns.ts";
import type { Source } from "../feeds/source.ts";
import type { Call } from "../http/route.ts";

/** Everything after the cursor up to the end, as the bytes that are stored. */
export async function sendNdjson({ response }: Call, { read, match }: Source, start = -1): Promise<void> {
  let after = start;
  response.writeHead(200, { "Content-Type": "application/x-ndjson; charset=utf-8" });
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  try {
    for (let more = true; more; ) {
      const page = await inTurn(() => read({ after, maxBytes: PAGE_BYTES, ...(match && { match }) }));
      closed.signal.throwIfAborted();
      let hasRoom = true;
      // What is written in one turn goes to the socket at once: a page, and then it is waited for.
      for (const { bytes } of page.pieces) hasRoom = response.write(bytes);
      if (!hasRoom) await once(response, "drain", { signal: closed.signal });
      after = page.next;
      more = page.more;
    }
    response.end();
  } catch (error) {
    // Its beginning was sent. Cut off, it cannot be taken for the whole.
    response.destroy();
    if (!closed.signal.aborted) throw error;
  }
}

/** Bytes that are read in one go. */
const PAGE_BYTES = 256 * 1024;
