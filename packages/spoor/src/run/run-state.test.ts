import { exitReasons } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { endState, isEnd, type RunState, transition, transitions } from "./run-state.ts";

const states = Object.keys(transitions) as RunState[];

describe("the states of a run", () => {
  it("change only as the table allows", () => {
    for (const from of states) {
      for (const to of states) {
        const isLegal = (transitions[from] as readonly RunState[]).includes(to);
        if (isLegal) expect(transition(from, to)).toBe(to);
        else expect(() => transition(from, to)).toThrow(isEnd(from) ? "has ended" : "cannot become");
      }
    }
  });

  it("can all be reached, and all lead to a final state", () => {
    const reached = new Set<RunState>(["spawned"]);
    for (const state of reached) for (const next of transitions[state]) reached.add(next);
    expect([...reached].sort()).toEqual([...states].sort());
    expect(states.filter(isEnd)).toEqual(["completed", "aborted", "timed-out", "crashed", "killed"]);
  });

  it("have a final state for every exit reason", () => {
    for (const reason of exitReasons) expect(isEnd(endState[reason])).toBe(true);
  });
});
