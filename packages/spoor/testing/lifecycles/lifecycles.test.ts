import { describe, it } from "vitest";
import { type LifecycleName, lifecycles } from "../../../protocol/testing/lifecycles/table.ts";
import { expectLifecycle, openDoor } from "./door.ts";
import { scenarios } from "./scenarios.ts";

const names = Object.keys(lifecycles) as LifecycleName[];

describe.each(names)("the lifecycle %s", { timeout: 120_000 }, (name) => {
  it.each(Object.entries(scenarios[name]))("is that of %s, over HTTP", async (_, { workers = 4, play }) => {
    const door = await openDoor({ workers });
    await expectLifecycle(door, await play(door), lifecycles[name]);
  });
});
