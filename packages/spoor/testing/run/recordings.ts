import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/agents/machine.ts";
import { damage } from "./damage.ts";
import { eventsOf, recordingsOf, violationsOf } from "./recorded.ts";

export { eventsOf, eventsOfLines, recordingsOf, violationsOf } from "./recorded.ts";

/** Tests that every adapter must pass with every recording of its agent. */
export function describeRecordings(adapter: Adapter, agent: string = adapter.name): void {
  const recordings = recordingsOf(agent);

  describe(`the recordings of ${agent}`, () => {
    it.each(recordings)("%s gives events that keep the contract, the same ones each time", async (recording) => {
      const events = await eventsOf(adapter, recording);
      expect(violationsOf(events)).toEqual([]);
      expect(JSON.stringify(await eventsOf(adapter, recording))).toBe(JSON.stringify(events));
      expect(events.filter(({ type }) => type === "debug").map((event) => JSON.stringify(event))).not.toContainEqual(
        expect.stringContaining("A frame could not be read"),
      );
    });

    it("give events that keep the contract when they are damaged", { timeout: 60_000 }, () =>
      expectToSurvive(adapter, recordings, 150),
    );
  });
}

/** Expects the events of damaged recordings to keep the contract. */
export async function expectToSurvive(adapter: Adapter, recordings: readonly string[], numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...recordings), fc.array(fc.nat(), { maxLength: 5 }), async (recording, seeds) => {
      const events = await eventsOf(adapter, recording, (lines) => seeds.reduce(damage, lines.slice(0, 400)));
      expect(violationsOf(events)).toEqual([]);
    }),
    { numRuns },
  );
}
