import { expect, it } from "vitest";
import { run } from "../testing/run.ts";

it("lists every agent with its wires, installed or not", async () => {
  const { code, stdout } = await run(["agents"]);
  expect(code).toBe(0);
  for (const agent of ["claude", "codex", "gemini", "pi", "qwen", "acp"])
    expect(stdout).toMatch(new RegExp(`^${agent} `, "m"));
});

it("tells the same as JSON", async () => {
  const { stdout } = await run(["agents", "--json"]);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({
      agent: "claude",
      wires: [expect.objectContaining({ name: "stream-json", runs: true, asks: true })],
    }),
  );
});
