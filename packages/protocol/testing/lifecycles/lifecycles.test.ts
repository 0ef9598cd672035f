import { describe, expect, it } from "vitest";
import { createEnvelopeChecker } from "../../src/contract/check-envelopes.ts";
import type { Envelope } from "../../src/envelope/envelope.ts";
import { viewOf } from "../../src/view/fold.ts";
import { orderProblem } from "./order.ts";
import { stored } from "./steps.ts";
import { lifecycles } from "./table.ts";

describe.each(Object.entries(lifecycles))("the lifecycle %s", (_, { steps, order, state, status }) => {
  const envelopes = stored(steps).map((line): Envelope => JSON.parse(line));

  it("keeps the contract", () => {
    const checker = createEnvelopeChecker();
    expect([...envelopes.flatMap((envelope) => checker.add(envelope)), ...checker.end()]).toEqual([]);
  });

  it("has the documented order", () => {
    expect(orderProblem(envelopes, order)).toBeUndefined();
  });

  it("leads to the documented state", () => {
    expect(viewOf(envelopes)).toMatchObject({ state, status });
  });
});

describe("the comparison with an expected order", () => {
  const events = [
    { type: "run.created", data: { status: "queued" } },
    { type: "run.queued", data: { resume: true } },
    { type: "turn.started", data: { turn_index: 2 } },
    { type: "cost.tick", data: {} },
    { type: "cost.tick", data: {} },
    { type: "run.finished", data: {} },
  ];

  it.each([
    "run.created run.queued turn.started cost.tick cost.tick run.finished",
    "run.created{queued} run.queued{resume} turn.started(2) cost.tick* run.finished|run.failed",
    "… run.finished",
    "run.created … cost.tick … run.finished task.updated?",
    "…",
  ])("accepts %s", (order) => {
    expect(orderProblem(events, order)).toBeUndefined();
  });

  it.each([
    ["run.queued …", "Event 0 is run.created"],
    ["run.created run.started …", "Event 1 is run.queued"],
    ["run.created run.queued turn.started(1) …", "turn.started(1) is expected"],
    ["run.created … cost.tick run.failed", "Event 5 is run.finished"],
    ["… run.finished task.updated", "Event 6 is the end of the run, but task.updated"],
    ["run.created run.queued", "Event 2 is turn.started"],
  ])("reports what is wrong with %s", (order, problem) => {
    expect(orderProblem(events, order)).toContain(problem);
  });
});
