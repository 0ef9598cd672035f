import { expect, it } from "vitest";
import { adapters } from "../agents/registry.ts";
import { loadAdapter } from "./load-adapter.ts";

it("loads every agent of the registry by its name", async () => {
  for (const adapter of adapters) expect(await loadAdapter(adapter.name)).toBe(adapter);
});

it.each(["nobody", "../log", "dialects", "constructor", ""])(
  "returns undefined for the unknown agent %j",
  async (name) => {
    expect(await loadAdapter(name)).toBeUndefined();
  },
);
