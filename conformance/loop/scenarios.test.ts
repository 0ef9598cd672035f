import { describe, expect, test } from "vitest";
import { expectedProblems } from "../expected.ts";
import type { Script } from "../model-server/script.ts";
import { completed, said } from "../scenarios/expectations.ts";
import { answer, type Scenario, text } from "../scenarios/scenario.ts";
import { scenarios } from "../scenarios.ts";
import { driveLoop } from "./drive.ts";
import { isLeftOut } from "./run-all.ts";
import { provenWires } from "./wires.ts";

/** It waits for a quarter of a minute, so only `npm run conformance` drives it. */
const slow = new Set(["out of time"]);

const quick = scenarios.filter(
  (scenario) => !slow.has(scenario.name) && !isLeftOut(scenario) && !expectedProblems.loop?.[scenario.name],
);

/** What depends on the provider's language. `npm run conformance -- loop` drives all scenarios in all of them. */
const inEveryLanguage = new Set([
  ...["text", "thinking", "two calls at once", "not logged in", "not allowed in", "no such model"],
  ...["asked to slow down, then answered", "overloaded, then answered", "too long for the context"],
]);

const recovered = (first: Script[number], name: string): Scenario => ({
  name,
  script: () => [first, answer(text("At last."))],
  problems: (outcome) => [...completed(outcome), ...said(outcome, "At last.")],
});

/** Failures that external agents hide from us in their own ways. */
const own: readonly Scenario[] = [
  recovered({ status: 529, message: "Overloaded" }, "529, then answered"),
  recovered({ blocks: [text("one two three four", 4)], cutAfter: 2 }, "cut off in mid-text, then answered"),
  recovered({ blocks: [text("one two", 2)], failure: { message: "Overloaded" } }, "failed in mid-text, then answered"),
];

describe.each(provenWires.map((wire, index) => [wire.model, wire, index] as const))(
  "our own loop with %s",
  (_, wire, index) => {
    const chosen = [...quick.filter(({ name }) => index === 0 || inEveryLanguage.has(name)), ...own];
    test.each(chosen.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
      expect((await driveLoop(wire, scenario)).problems).toEqual([]);
    });
  },
);
