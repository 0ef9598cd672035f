import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disagreements } from "./compare.ts";
import type { Facts } from "./facts.ts";
import { factsOfAdapter, factsOfWire } from "./recordings.ts";
import { fixtures, isUpToDate, recordingsIn } from "./stored.ts";

const recordings = recordingsIn(fixtures);

describe("a plain reader of the wire, independent of the adapter", () => {
  it.each(recordings)("agrees with the events of %s", async (name) => {
    const path = join(fixtures, name);
    expect(disagreements(factsOfWire(name, path), await factsOfAdapter(name, path))).toEqual([]);
  });

  it("finds the facts that are stored beside each recording", () => {
    const stale = recordings.filter((name) => !isUpToDate(name));
    expect(stale, "Run `node --conditions=spoor-source scripts/facts.ts` and look at what changed.").toEqual([]);
  });
});

describe("the comparison", () => {
  const wire: Facts = {
    said: "Done.",
    tools: [{ id: "a", name: "Bash", input: { command: "ls" }, result: "x", failed: false, exitCode: 0 }],
    changes: [{ op: "patch", path: "/a", lines: ["-1", "+2"] }],
    approvals: [{ tool: "a", granted: true }],
    endings: ["completed"],
    tokens: { input: 10, output: 2 },
    costUsd: 0.3,
  };

  it("accepts events that contain more than the wire", () => {
    const events = { ...wire, subagents: 0, costUsd: 0.1 + 0.2, tools: [{ ...wire.tools?.[0], id: "a", extra: 1 }] };
    expect(disagreements(wire, events)).toEqual([]);
  });

  it.each<[string, Partial<Facts>]>([
    ["said", { said: "Done" }],
    ["tools", { tools: [] }],
    ["input", { tools: [{ ...wire.tools?.[0], id: "a", input: { command: "rm" } }] }],
    ["result", { tools: [{ ...wire.tools?.[0], id: "a", result: "y" }] }],
    ["exitCode", { tools: [{ ...wire.tools?.[0], id: "a", exitCode: 1 }] }],
    ["only in the events", { tools: [...(wire.tools ?? []), { id: "b", name: "Bash" }] }],
    ["changes", { changes: [{ op: "patch", path: "/a", lines: ["-1", "+3"] }] }],
    ["approvals", { approvals: [{ tool: "a", granted: false }] }],
    ["endings", { endings: ["error"] }],
    ["tokens", { tokens: { input: 10, output: 3 } }],
    ["costUsd", { costUsd: 0.31 }],
  ])("notices a difference: %s", (_, change) => {
    expect(disagreements(wire, { ...wire, ...change })).toHaveLength(1);
  });
});
