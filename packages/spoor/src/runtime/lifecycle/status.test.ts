import { isEnvelopeType } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { type Act, type Place, placeOf, refusalOf, transitions } from "./status.ts";

const acts = [...new Set(transitions.map(({ by }) => by))] as Act[];
const places = [...new Set(transitions.flatMap(({ from, to }) => [...from, to]))] as Place[];

describe("the state table", () => {
  it("has the rows 1 to 18", () => {
    expect([...new Set(transitions.map(({ row }) => row))]).toEqual(
      Array.from({ length: 18 }, (_, index) => index + 1),
    );
  });

  it("names only events that exist", () => {
    const named = transitions.flatMap(({ events }) => events.flatMap((each) => each.replace(/[?*]$/, "").split("|")));
    expect(named.filter((type) => type !== "closing events" && !isEnvelopeType(type))).toEqual([]);
  });

  it("reaches every place from nothing, and an end from every place that is none", () => {
    const reach = (start: readonly Place[], step: (place: Place) => Place[]): Set<Place> => {
      const found = new Set(start);
      for (const place of found) for (const next of step(place)) found.add(next);
      return found;
    };
    const forward = (place: Place) => transitions.filter(({ from }) => from.includes(place)).map(({ to }) => to);
    const backward = (place: Place) => transitions.filter(({ to }) => to === place).flatMap(({ from }) => [...from]);
    expect([...reach(["nothing"], forward)].sort()).toEqual([...places].sort());
    expect([...reach(["over"], backward)].sort()).toEqual(places.filter((place) => place !== "deleted").sort());
  });

  it("writes exactly one terminal event on every way that ends a run, and none on any other", () => {
    for (const { to, by, events } of transitions) {
      const terminal = events.filter((each) => /run\.(finished|failed|cancelled)/.test(each));
      expect([by, terminal.length]).toEqual([by, to === "over" ? 1 : 0]);
      if (to === "over") expect(events.at(-1)).toBe("task.updated");
    }
  });

  it("gives a reason for every act of a caller that a place does not allow", () => {
    const asked: Act[] = ["start", "cancel", "pause", "unpause", "delete"];
    const silent = asked.flatMap((act) =>
      places
        .filter((place) => !["nothing", "not_started", "deleted"].includes(place))
        .filter((place) => !transitions.some(({ by, from }) => by === act && from.includes(place)))
        .filter((place) => refusalOf(act, place) === undefined)
        .map((place) => `${act} at ${place}`),
    );
    expect(silent).toEqual([]);
    expect(acts).toContain("recover");
  });

  it.each([
    [undefined, "not_started"],
    [{ status: "awaiting_approval" }, "waiting"],
    [{ status: "awaiting_approval", worker_id: "w" }, "asking"],
    [{ status: "awaiting_approval", parked: true }, "parked"],
    [{ status: "queued" }, "queued"],
    [{ status: "queued", paused: true }, "paused"],
    [{ status: "running", worker_id: "w" }, "running"],
    [{ status: "cancelled" }, "over"],
  ] as const)("places the run %j at %s", (run, place) => {
    expect(placeOf(run)).toBe(place);
  });
});
