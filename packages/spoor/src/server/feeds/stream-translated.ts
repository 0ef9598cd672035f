import { envelopesIn } from "../../log/envelopes.ts";
import type { RouteCall } from "../http/route.ts";
import type { EventSource } from "./event-source.ts";
import type { FeedContext } from "./feed-context.ts";
import { followToEnd } from "./follow-to-end.ts";
import { resume } from "./resume.ts";
import { cursorFrame } from "./sse-frames.ts";
import { openSseResponse } from "./sse-response.ts";
import { lastEventId } from "./stream-events.ts";
import type { StreamLanguage } from "./stream-language.ts";

/**
 * Streams a run in another language, with nothing but that language's messages as data, since its readers know no others.
 * The translator reads the run from its first event, because later messages depend on earlier events. What the reader has
 * already is not sent again; what is open there is opened again, because each answer is a whole stream to its readers. A
 * language that cannot begin in the middle begins with the run.
 */
export async function streamTranslated(
  context: FeedContext,
  call: RouteCall,
  source: EventSource,
  { language, start = -1 }: { language: StreamLanguage; start: number | undefined },
): Promise<void> {
  const translator = await language.open();
  const known = lastEventId(call) ?? start;
  const resumed = known < 0 ? undefined : await resume(source, known);
  // A reader that claims to have more than there is goes on at the end.
  const after = translator.reopen ? (resumed?.after ?? -1) : -1;
  if (resumed?.exhausted || (source.finished && after >= source.last && after >= 0)) {
    // 204 is the only answer that stops a browser's EventSource from reconnecting.
    call.response.writeHead(204).end();
    return;
  }
  let isOpened = after < 0;
  const opening = (): string => {
    if (isOpened) return "";
    isOpened = true;
    return framesOf(translator.reopen?.() ?? []);
  };
  const endMark = language.endMark === undefined ? "" : dataFrame(language.endMark);
  const last = (cursor = "") => framesOf(translator.cut()) + cursor + endMark;
  const stream = openSseResponse(call, context.streams, {
    ...(language.headers && { headers: language.headers }),
    bye: () => last(),
    onDrain: () => feed.resume(),
    onClose: () => feed.close(),
  });
  const finish = (cursor?: string) => {
    stream.write(last(cursor));
    stream.end();
  };
  const feed = followToEnd(source, -1, context.linger, {
    take: (batch) => {
      let frames = "";
      for (const envelope of batch.pieces.flatMap(envelopesIn)) {
        if (envelope.sequence > after) frames += opening();
        const messages = translator.translate(envelope);
        if (envelope.sequence > after) frames += framesOf(messages, envelope.sequence);
      }
      return frames === "" || stream.write(frames);
    },
    // A reader that has everything need not wait for the next event to know that the run is open.
    caughtUp() {
      const frames = opening();
      if (frames !== "") stream.write(frames);
    },
    // The last events may have no messages, and a browser that does not have their sequence would reconnect for ever.
    end: () => finish(cursorFrame(feed.cursor)),
    failed: () => finish(),
  });
}

/** The id stands on the last message of an event, so that a reader who lost the others gets all of them again. */
function framesOf(messages: readonly object[], sequence?: number): string {
  return messages
    .map((message, index) => {
      const isLast = index === messages.length - 1;
      return `${isLast && sequence !== undefined ? `id: ${sequence}\n` : ""}${dataFrame(JSON.stringify(message))}`;
    })
    .join("");
}

const dataFrame = (data: string): string => `data: ${data}\n\n`;
