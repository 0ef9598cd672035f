import { errorBody, toHttpError } from "../http/http-error.ts";
import { toCursor } from "../http/query-parameters.ts";
import type { RouteCall } from "../http/route.ts";
import type { EventSource } from "./event-source.ts";
import type { FeedContext } from "./feed-context.ts";
import { followToEnd } from "./follow-to-end.ts";
import { resume, resumeData } from "./resume.ts";
import { cursorFrame, namedFrame } from "./sse-frames.ts";
import { openSseResponse } from "./sse-response.ts";

/** Streams all events after the cursor, then new ones as they are committed, until the run is over. */
export async function streamEvents(
  context: FeedContext,
  call: RouteCall,
  source: EventSource,
  start: number | undefined,
): Promise<void> {
  const requested = lastEventId(call) ?? start;
  const found = await resume(source, requested ?? -1);
  if (requested !== undefined && found.exhausted) {
    // 204 is the only answer that stops a browser's EventSource from reconnecting.
    call.response.writeHead(204).end();
    return;
  }
  const stream = openSseResponse(call, context.streams, {
    onDrain: () => feed.resume(),
    onClose: () => feed.close(),
  });
  stream.write(namedFrame("resume", resumeData(source, found)));
  // A browser that loses the connection before the first event would otherwise resend its first query without a cursor.
  if (found.after >= 0) stream.write(cursorFrame(found.after));
  const feed = followToEnd(source, found.after, context.linger, {
    take: (batch) => stream.write(source.frames(batch)),
    end() {
      stream.write(cursorFrame(feed.cursor));
      stream.end();
    },
    failed(error) {
      stream.write(namedFrame("error", errorBody(toHttpError(error), call.request_id)));
      stream.end();
    },
  });
}

/** A browser that reconnects repeats its first query and adds this header, which therefore wins. */
export function lastEventId({ request }: RouteCall): number | undefined {
  const last = request.headers["last-event-id"];
  return last === undefined || last === "" ? undefined : toCursor(String(last), "Last-Event-ID");
}
