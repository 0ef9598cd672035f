import { describe, expect, it } from "vitest";
import type { Adapter, Dialect } from "../../src/agents/machine.ts";
import { adapters } from "../../src/agents/registry.ts";
import { chooseDialect } from "../../src/assemble/parse.ts";
import { documentsOf, linesOf, recordingsOf } from "../run/recorded.ts";
import { expectToSurvive } from "../run/recordings.ts";

const dialects = adapters.flatMap((adapter) =>
  adapter.dialects.map((dialect) => ({ title: `${adapter.name} ${dialect.name}`, adapter, dialect })),
);

describe.each(dialects)("the dialect $title", ({ adapter, dialect }) => {
  it("survives recordings that are cut, doubled, shuffled and damaged", { timeout: 60_000 }, async () => {
    const recordings = spoken(adapter, dialect);
    expect(recordings).not.toEqual([]);
    await expectToSurvive(adapter, recordings, 25);
  });
});

/** Recordings that are read as this dialect: the agent's own, or else those of other agents that speak it. */
function spoken(adapter: Adapter, dialect: Dialect): string[] {
  const isSpoken = (recording: string) => chooseDialect(adapter, linesOf(recording).slice(0, 40)) === dialect;
  const own = [...recordingsOf(adapter.name), ...documentsOf(adapter.name)].filter(isSpoken);
  return own.length > 0 ? own : recordingsOf("acp").filter(isSpoken);
}
