import type { AgentEvent } from "../agent-events/catalog.ts";
import type { Decoder, DecoderState } from "../mapping/decode.ts";
import type { Connector } from "./http.ts";
import { type FollowingOptions, type Subscription, subscribeToRun } from "./subscribe.ts";

/** Options to receive a run as AgentEvents. */
export interface EventOptions extends FollowingOptions {
  as: "events";
  /**
   * The decoder's state at `after`, from `save()`. Without it, the run is read from its start and events up to `after` are
   * skipped, because decoding an event needs the envelopes before it.
   */
  decoderState?: DecoderState | undefined;
}

/** A subscription that yields AgentEvents. */
export interface EventSubscription extends Subscription<AgentEvent> {
  /** Returns, as plain JSON, the options with which the next subscription continues after the last yielded event. */
  save(): { after: number; decoderState?: DecoderState };
}

export function subscribeToEvents(
  connector: Connector,
  runId: string,
  { as: _, after = -1, decoderState, ...options }: EventOptions,
): EventSubscription {
  let decoder: Decoder | undefined;
  const envelopes = subscribeToRun(connector, runId, { ...options, ...(decoderState && { after }) });

  async function* decode(): AsyncGenerator<AgentEvent, void> {
    // Decoding needs the schemas of all events. A page that never decodes does not load them.
    const { createDecoder } = await import("../mapping/decode.ts");
    decoder = createDecoder(decoderState && { state: decoderState });
    for await (const envelope of envelopes) {
      const event = decoder.decode(envelope);
      if (event && envelope.sequence > after) yield event;
    }
  }

  const iterator = decode();
  return {
    [Symbol.asyncIterator]: () => iterator,
    get cursor() {
      return Math.max(after, envelopes.cursor);
    },
    close: () => envelopes.close(),
    save() {
      if (!decoder) return { after, ...(decoderState && { decoderState }) };
      return envelopes.cursor < after ? { after } : { after: envelopes.cursor, decoderState: decoder.save() };
    },
  };
}
