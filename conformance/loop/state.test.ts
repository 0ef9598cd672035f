import { describe, expect, test } from "vitest";
import type { Block } from "../model-server/script.ts";
import { answer, type Scenario, text } from "../scenarios/scenario.ts";
import { driveLoop } from "./drive.ts";
import { provenWires } from "./wires.ts";

const thinks: Block = { type: "thinking", text: "Let me see.", deltas: 2 };
const plans: Block = {
  ...{ type: "tool", name: "todo_write", signature: "U0lH" },
  input: { todos: [{ content: "Read the code", status: "pending" }] },
};

/** What the last request lacks. */
const lacking = (asked: string, texts: readonly string[]): string[] =>
  texts.filter((one) => !asked.includes(one)).map((one) => `The last request lacks ${one}: ${asked}`);

describe.each(provenWires.map((wire) => [wire.model, wire] as const))("our own loop with %s", (_, wire) => {
  test.each([
    ["the next turn", undefined],
    ["a run that continues the conversation", "resume" as const],
  ])("sends back what the provider needs, in %s", async (_name, after) => {
    const turns = [answer(thinks, text("I plan."), plans), answer(text("Planned."))];
    const scenario: Scenario = {
      name: "state",
      ...(after && { after }),
      script: () => [...turns, ...(after ? [answer(text("Still planned."))] : [])],
      problems: ({ asked }) => lacking(asked, [...wire.returns, "I plan.", "Read the code"]),
    };
    expect((await driveLoop(wire, scenario)).problems).toEqual([]);
  });
});
