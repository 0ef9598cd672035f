import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validStream } from "../../testing/arbitrary.ts";
import { type AgentEvent, agentEventTypes } from "../agent-events/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createUlidSource, prefixed } from "../envelope/ids.ts";
import { createDecoder } from "./decode.ts";
import { createEncoder } from "./encode.ts";
import { createEnvelopeWriter } from "./write.ts";

/** Through the very bytes that are stored. */
function store(events: AgentEvent[]): Envelope[] {
  const encoder = createEncoder();
  const ulid = createUlidSource({ now: () => 1_700_000_000_000 });
  const write = createEnvelopeWriter({ run_id: prefixed("run", events[0]?.runId ?? "") });
  return events
    .flatMap((event) => encoder.encodeText(event))
    .map((draft, sequence) => JSON.parse(write(draft, prefixed("event", ulid()), sequence)));
}

describe("the mapping", () => {
  it("returns every AgentEvent of any valid stream unchanged", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(validStream(), (events) => {
        for (const { type } of events) seen.add(type);
        const decoder = createDecoder({ agent: "claude" });
        expect(store(events).flatMap((envelope) => decoder.decode(envelope) ?? [])).toEqual(events);
      }),
      { numRuns: 300 },
    );
    expect(agentEventTypes.filter((type) => !seen.has(type))).toEqual([]);
  });
});
