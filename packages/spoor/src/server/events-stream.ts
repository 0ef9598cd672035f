import { SCHEMA_VERSION } from "@spoor/protocol/write";
import { errorBody, toHttpError } from "./errors.ts";
import { namedFrame, placeFrame } from "./frames.ts";
import { followToEnd } from "./live.ts";
import { readers, toCursor } from "./parameters.ts";
import type { Parts } from "./parts.ts";
import type { Call } from "./route.ts";
import { type Resume, resume, type Source } from "./source.ts";
import { openEventStream } from "./streams.ts";

/** Everything after the cursor, then what is committed from now on, until the run is over. */
export async function streamEvents(parts: Parts, call: Call, source: Source): Promise<void> {
  const asked = cursorOf(call);
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

/** A browser that connects again sends its first query along with the place it has reached. */
export function cursorOf({ request, query }: Call): number | undefined {
  const cursor = readers.cursor(query);
  const last = request.headers["last-event-id"];
  if (last === undefined || last === "") return cursor;
  return toCursor(String(last), "Last-Event-ID");
}

export function resumeData({ run }: Source, { status, after }: Resume) {
  return { status, schema_version: SCHEMA_VERSION, after_sequence: after, ...(run && { run_id: run.run_id }) };
}
