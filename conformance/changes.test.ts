import { describe, expect, it } from "vitest";
import { changesOf, isBroken, type Showing } from "./changes.ts";
import { type Heard, printWires, seenIn, wireOf } from "./wire.ts";

const lines = (...frames: object[]): string[] => frames.map((frame) => JSON.stringify(frame));

const heard: Record<string, Heard> = {
  text: { lines: [...lines({ type: "init", id: 1 }, { type: "say", text: "" }), "no JSON"], events: ["b", "a", "a"] },
  shell: { lines: lines({ type: "init", cwd: "" }, { type: "run" }), events: ["a", "c"] },
};
const showing = (change: Record<string, Heard> = {}, scenarios = {}): Showing => ({
  scenarios: { text: "passed", shell: "passed", ...scenarios },
  wire: wireOf("1", { ...heard, ...change }),
});
const told = (change: Record<string, Heard>) => changesOf(showing(), showing(change));

describe("the stored frames of an agent", () => {
  it("are kinds of frames with their fields, by scenario", () => {
    const wire = wireOf("1", heard);
    expect(wire.frames).toEqual({ init: ["cwd", "id", "type"], run: ["type"], say: ["text", "type"] });
    expect(wire.scenarios).toEqual({
      text: { frames: [0, 2], events: [0, 1] },
      shell: { frames: [0, 1], events: [0, 2] },
    });
    expect(seenIn(wire, "shell")).toEqual({ frames: ["init", "run"], events: ["a", "c"] });
    expect(seenIn(wire, "never run")).toEqual({ frames: [], events: [] });
    expect(JSON.parse(printWires({ agent: wire }))).toEqual({ agent: wire });
  });
});

describe("the changes of a later version", () => {
  it("are empty if nothing changed", () => {
    expect(told({})).toEqual([]);
  });

  it("name frames that are new, gone, or in other scenarios", () => {
    const change = told({
      text: { lines: lines({ type: "init", id: 1 }, { type: "run" }, { type: "speak" }), events: ["a", "b"] },
    });
    expect(change).toEqual([
      'New frame "speak" in "text"; its fields: type. Extend the adapter.',
      'Frame "say" is gone; it came in "text". Find the frame that replaces it.',
      'Frame "run" now also comes in: "text".',
    ]);
  });

  it("name fields that are new or lost", () => {
    const change = told({ shell: { lines: lines({ type: "init", folder: "" }, { type: "run" }), events: ["a", "c"] } });
    expect(change).toEqual([
      'Frame "init" has new fields: folder.',
      'Frame "init" has lost fields: cwd. Check the code that reads them.',
    ]);
  });

  it("name events that are new or lost in a scenario", () => {
    const change = told({ shell: { lines: heard.shell?.lines ?? [], events: ["a", "d"] } });
    expect(change).toEqual(['Scenario "shell" has new events: d.', 'Scenario "shell" has lost events: c.']);
  });

  it("are breaking only if a scenario has another outcome", () => {
    const later = showing({}, { shell: "Missing: a result." });
    expect(changesOf(showing(), later)).toEqual([
      'Scenario "shell" has another outcome. Before: passed Now: Missing: a result.',
    ]);
    expect(isBroken(showing(), later)).toBe(true);
    expect(isBroken(showing(), showing({ text: { lines: [], events: [] } }))).toBe(false);
  });

  it("ignore scenarios that one version did not run", () => {
    const later = showing();
    const earlier: Showing = { scenarios: { text: "passed" }, wire: wireOf("0", { text: heard.text as Heard }) };
    expect(changesOf(earlier, later).filter((sentence) => sentence.startsWith("Scenario"))).toEqual([]);
  });
});
