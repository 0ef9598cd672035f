import { SCHEMA_VERSION } from "@spoor/protocol/write";
import { errorBody, toHttpError } from "../http/errors.ts";
import { readers, toCursor } from "../http/parameters.ts";
import type { Call } from "../http/route.ts";
import type { Parts } from "../parts.ts";
import { namedFrame, placeFrame } from "./frames.ts";
import { followToEnd } from "./live.ts";
import { type Resume, resume, type Source } from "./source.ts";
import { openEventStream } from "./streams.ts";

/** Everything after the cursor, then what is committed from now on, until the run is over. */
export async function streamEvents(parts: Parts, call: Call, source: Source, start: number | undefined): Promise<void> {
  const asked = lastEventId(call) ?? start;
  const found = await resume(source, asked ?? -1);
  if (asked !== undefined && found.exhausted) {
    // The one answer that stops a browser from connecting again.
    call.response.writeHead(204).end();
    return;
  }
  const stream = openEventStream(call, parts.streams, {
    onDrain: () => feed.resume(),
    onClose: () => feed.close(),
  });
  stream.write(namedFrame("resume", resumeData(source, found)));
  // A browser that is cut off before the first event asks again with the same query: its place must not be lost.
  if (found.after >= 0) stream.write(placeFrame(found.after));
  const feed = followToEnd(source, found.after, parts.linger, {
    take: (batch) => stream.write(source.frames(batch)),
    end() {
      stream.write(placeFrame(feed.cursor));
      stream.end();
    },
    failed(error) {
      stream.write(namedFrame("error", errorBody(toHttpError(error), call.request_id)));
      stream.end();
    },
  });
}

export const cursorOf = (call: Call): number | undefined => lastEventId(call) ?? readers.cursor(call.query);

/** A browser that connects again sends its first query along with the place it has reached, which wins. */
function lastEventId({ request }: Call): number | undefined {
  const last = request.headers["last-event-id"];
  return last === undefined || last === "" ? undefined : toCursor(String(last), "Last-Event-ID");
}

export function resumeData({ run }: Source, { status, after }: Resume) {
  return { status, schema_version: SCHEMA_VERSION, after_sequence: after, ...(run && { run_id: run.run_id }) };
}
