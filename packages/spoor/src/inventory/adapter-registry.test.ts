import { describe, expect, it } from "vitest";
import { toy } from "../../testing/run/toy-adapter.ts";
import type { Adapter } from "../agents/machine.ts";
import { adapters as builtIn } from "../agents/registry.ts";
import { createClient } from "../client.ts";
import { adapterProblems } from "./adapter-registry.ts";

describe("the adapters of a client", () => {
  it("are the built-in ones, our own loop and those registered, and can be unregistered", async () => {
    const { adapters, run } = createClient();
    expect(adapters.has("toy")).toBe(false);
    adapters.register(toy);
    expect(adapters.list().map(({ name }) => name)).toEqual([...builtIn.map(({ name }) => name), "loop", "toy"]);
    const handle = run({ agent: "toy", prompt: "say x" });
    expect(adapters.unregister("toy")).toBe(true);
    expect(adapters.unregister("toy")).toBe(false);
    expect(() => adapters.get("toy")).toThrow('There is no agent "toy".');
    expect((await handle).text).toBe("x ");
  });

  it("are replaced by one of the same name", () => {
    const { adapters } = createClient({ adapters: [{ ...toy, name: "claude" }] });
    expect(adapters.get("claude").title).toBe("Toy");
    expect(adapters.list()).toHaveLength(builtIn.length + 1);
  });

  it("are checked when registered, and the error lists every problem", () => {
    const { adapters } = createClient();
    const broken = { name: "No Name", dialects: [{ name: "x", streams: {}, live: { command: 7 } }] };
    expect(() => adapters.register(broken as unknown as Adapter)).toThrow("adapter.name must be lower-case");
    expect(adapterProblems(broken).map(({ field }) => field)).toEqual([
      ...["adapter.name", "adapter.title"],
      ...["text", "toolCalls", "thinking"].map((kind) => `adapter.dialects[0].streams.${kind}`),
      ...["canAsk", "recognises", "createMachine"].map((part) => `adapter.dialects[0].${part}`),
      ...["command", "launch", "createDriver"].map((part) => `adapter.dialects[0].live.${part}`),
    ]);
    expect(adapterProblems(undefined)).toHaveLength(1);
    expect(adapterProblems({ name: "x", title: "X", dialects: [] })).toMatchObject([{ field: "adapter.dialects" }]);
  });

  it("are refused when they were written for a newer contract", () => {
    const newer = { ...toy, contractVersion: 2 } as unknown as Adapter;
    expect(() => createClient({ adapters: [newer] })).toThrow(
      'The adapter "toy" was written for adapter contract 2, but this version of Spoor supports only contract 1. Install a newer Spoor',
    );
    expect(createClient({ adapters: [{ ...toy, contractVersion: 1 }] }).adapters.has("toy")).toBe(true);
  });

  it("include no built-in adapter that fails the check", () => {
    expect(builtIn.flatMap((adapter) => adapterProblems(adapter))).toEqual([]);
  });
});
