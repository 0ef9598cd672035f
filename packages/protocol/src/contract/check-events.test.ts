import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validStream } from "../../testing/arbitrary.ts";
import { eventMutations } from "../../testing/contract/event-mutations.ts";
import { simulate } from "../../testing/simulate/simulate.ts";
import type { AgentEvent } from "../agent-events/catalog.ts";
import { createEventChecker } from "./check-events.ts";
import type { Finding } from "./finding.ts";
import { eventRules } from "./rules.ts";

function check(events: readonly unknown[], options?: { joined?: boolean }): Finding[] {
  const checker = createEventChecker(options);
  return [...events.flatMap((event) => checker.add(event)), ...checker.end()];
}

const brokenRules = (events: readonly unknown[]) =>
  new Set(check(events).flatMap((finding) => (finding.kind === "violation" ? [finding.rule] : [])));

/** Streams rich enough that every mutation finds a place: the same ones on every run. */
const streams: AgentEvent[][] = fc
  .sample(fc.array(fc.nat(1_000_000), { minLength: 200, maxLength: 400 }), {
    seed: 67,
    numRuns: 250,
  })
  .map((tape) => simulate(tape));

describe("the checker of AgentEvents", () => {
  it("accepts every valid stream", () => {
    fc.assert(
      fc.property(validStream(), (events) => {
        expect(check(events)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("accepts every valid stream as it is printed, without accumulated text", () => {
    fc.assert(
      fc.property(validStream(), (events) => {
        const printed = events.map((event) => {
          const { accumulated: _, inputAccumulated: __, ...rest } = event as AgentEvent & Record<string, unknown>;
          return rest;
        });
        expect(check(printed)).toEqual([]);
      }),
    );
  });

  it("accepts every valid stream joined at any point", () => {
    fc.assert(
      fc.property(validStream(), fc.nat(), (events, cut) => {
        expect(check(events.slice(cut % events.length), { joined: true })).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each(eventMutations.map((mutation) => [mutation.rule, mutation.does, mutation] as const))(
    "reports %s when a mutation %s",
    (rule, _does, mutation) => {
      let applied = 0;
      for (const events of streams) {
        for (const site of mutation.sites(events).slice(0, 2)) {
          expect(brokenRules(mutation.apply(events, site))).toContain(rule);
          applied += 1;
        }
      }
      expect(applied).toBeGreaterThan(0);
    },
  );

  it("has a mutation for every rule", () => {
    const mutated = new Set<string>(eventMutations.map(({ rule }) => rule));
    expect(Object.keys(eventRules).filter((rule) => !mutated.has(rule))).toEqual([]);
  });
});
