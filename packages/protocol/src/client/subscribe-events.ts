import type { AgentEvent } from "../agent-events/catalog.ts";
import { createDecoder, type DecoderState } from "../mapping/decode.ts";
import type { Connector } from "./http.ts";
import { type FollowingOptions, type Subscription, subscribeToRun } from "./subscribe.ts";

export interface EventOptions extends FollowingOptions {
  as: "events";
  /**
   * The decoder as it was at `after`, from `save()`. Without it the run is read from its start and what is not after
   * `after` is passed over: an AgentEvent is made of more than its own envelope.
   */
  decoderState?: DecoderState | undefined;
}

export interface EventSubscription extends Subscription<AgentEvent> {
  /** All it takes to go on after the event handed out last, as plain JSON: more options for the next subscription. */
  save(): { after: number; decoderState?: DecoderState };
}

export function subscribeToEvents(
  connector: Connector,
  runId: string,
  { as: _, after = -1, decoderState, ...options }: EventOptions,
): EventSubscription {
  const decoder = createDecoder(decoderState && { state: decoderState });
  const envelopes = subscribeToRun(connector, runId, { ...options, ...(decoderState && { after }) });

  async function* decode(): AsyncGenerator<AgentEvent, void> {
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
    save: () => (envelopes.cursor < after ? { after } : { after: envelopes.cursor, decoderState: decoder.save() }),
  };
}
