import type { AgentEvent } from "@spoor/protocol";
import { expect, it } from "vitest";
import { EventHub } from "./event-hub.ts";

const event = (message: string): AgentEvent => ({
  ...{ type: "debug", runId: "r", agent: "toy", timestamp: 1, level: "info" },
  message,
});

it("wakes everybody who waits for a slow iterator", async () => {
  const hub = new EventHub(
    () => {},
    () => {},
    1,
  );
  const iterator = hub.iterate();
  hub.push([event("one")]);
  expect(hub.isFull).toBe(true);
  const waiting = Promise.all([hub.drained(), hub.drained()]);
  await iterator.next();
  await waiting;
  expect(hub.isFull).toBe(false);
});
