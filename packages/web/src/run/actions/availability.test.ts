import type { AgentControls } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { type ActionFacts, type ActionId, reasonAgainst } from "./availability.ts";

const controls: AgentControls = {
  ...{ dialect: "stream", asks_permission: true, takes_answers: true, takes_prompts: true },
  ...{ can_be_interrupted: true, can_be_paused: true, reports_usage: true },
};

const working: ActionFacts = {
  ...{ isPast: false, isOver: false, isPaused: false, isQueued: false, isCancelling: false, isSubagent: false },
  ...{ kind: "agent", agent: "claude", hasSession: true, controls },
};

const all: readonly ActionId[] = [
  ...(["interrupt", "cancel", "pause", "unpause", "send"] as const),
  ...(["continue", "resume", "retry", "retryFromTurn", "fork"] as const),
];
const possible = (facts: Partial<ActionFacts>) =>
  all.filter((action) => reasonAgainst(action, { ...working, ...facts }) === undefined);

describe("what can be done with a run", () => {
  it.each([
    ["works", {}, ["interrupt", "cancel", "pause", "send", "fork"]],
    ["is paused", { isPaused: true }, ["cancel", "unpause", "send", "fork"]],
    ["waits in the queue", { isQueued: true }, ["cancel", "fork"]],
    ["is over", { isOver: true }, ["continue", "resume", "retry", "fork"]],
    [
      "is over and was made by our loop",
      { isOver: true, kind: "agent_loop" },
      ["continue", "resume", "retry", "retryFromTurn", "fork"],
    ],
    ["is over and kept no session", { isOver: true, hasSession: false }, ["retry"]],
    ["is over and was a command", { isOver: true, kind: "shell" }, ["retry"]],
    ["is over and was a subagent", { isOver: true, isSubagent: true }, []],
    ["is shown as it was", { isPast: true }, []],
  ] as const)("a run that %s", (_, facts, expected) => {
    expect(possible(facts)).toEqual(expected);
  });

  it("depends on what the agent can be held to", () => {
    const weak = { ...controls, can_be_interrupted: false, can_be_paused: false, takes_prompts: false };
    expect(possible({ controls: weak })).toEqual(["cancel", "fork"]);
    expect(reasonAgainst("interrupt", { ...working, controls: weak })).toBe(
      "claude cannot be interrupted. Cancel ends it.",
    );
  });

  it("is offered while it is not known what the agent can do", () => {
    expect(possible({ controls: undefined })).toEqual(["interrupt", "cancel", "pause", "send", "fork"]);
  });
});
