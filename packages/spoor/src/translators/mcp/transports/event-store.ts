import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** What a client that comes back after a break can still get, in messages. Each is at most as long as one answer. */
const MOST_KEPT = 16;

/** Keeps the newest messages of a session, so that a client whose stream broke gets what it missed. */
export function createEventStore(): EventStore {
  const kept: { id: number; stream: string; message: JSONRPCMessage }[] = [];
  let last = 0;
  return {
    async storeEvent(stream, message) {
      last += 1;
      kept.push({ id: last, stream, message });
      if (kept.length > MOST_KEPT) kept.shift();
      return `${stream}_${last}`;
    },
    async getStreamIdForEventId(eventId) {
      return placeOf(eventId)?.stream;
    },
    async replayEventsAfter(eventId, { send }) {
      const place = placeOf(eventId);
      if (!place) throw new Error("The Last-Event-ID is not one of this session.");
      for (const { id, stream, message } of kept) {
        // A priming event is an empty object and no message.
        if (stream === place.stream && id > place.id && "jsonrpc" in message) await send(`${stream}_${id}`, message);
      }
      return place.stream;
    },
  };
}

function placeOf(eventId: string): { stream: string; id: number } | undefined {
  const [, stream, id] = /^(.+)_(\d+)$/.exec(eventId) ?? [];
  return stream === undefined ? undefined : { stream, id: Number(id) };
}
