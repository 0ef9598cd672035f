import { NewTask } from "@spoor/protocol/api";
import { describe, expect, it } from "vitest";
import { specFields } from "./fields.ts";
import { specFromOptions } from "./from-options.ts";
import { readSpec, runOptionsOf, specProblems, titleOf } from "./spec.ts";

describe("the specification of a task", () => {
  it("has the fields that the HTTP interface describes", () => {
    const { start: _, ...described } = NewTask.properties;
    expect(Object.keys(described).sort()).toEqual(Object.keys(specFields).sort());
  });

  it("becomes the options of a run, and options become it again", () => {
    const options = {
      agent: "claude",
      prompt: "hello",
      model: "m",
      timeout: 5,
      budget: 1.5,
      command: ["x"],
      passEnv: ["A"],
    };
    const { spec, left } = specFromOptions(options);
    expect(left).toEqual([]);
    expect(spec).toMatchObject({ kind: "agent", budget_micros_usd: 1_500_000, agent_command: ["x"], timeout_ms: 5 });
    expect(runOptionsOf(readSpec(spec), {})).toEqual(options);
    expect(specFromOptions({ attachments: [] }).left).toEqual(["attachments"]);
  });

  it("names our own loop as an agent or by its kind", () => {
    const loop = { kind: "agent_loop", prompt: "x" };
    expect([readSpec({ agent: "loop", prompt: "x" }), readSpec(loop)]).toEqual([loop, loop]);
    expect(() => readSpec({ ...loop, agent: "claude" })).toThrow("agent does not apply");
  });

  it("takes secrets as names of variables only, and gives the run their values", () => {
    const server = {
      name: "s",
      url: "https://example.org",
      transport: "sse",
      headers: { Authorization: "Bearer $DOCS_TOKEN" },
    };
    const spec = readSpec({ agent: "claude", prompt: "x", env: { KEY: "$MY_KEY" }, mcp_servers: [server] });
    const options = runOptionsOf(spec, { MY_KEY: "one", DOCS_TOKEN: "two" });
    expect(options).toMatchObject({ env: { KEY: "one" }, mcpServers: [{ headers: { Authorization: "Bearer two" } }] });
    expect(() => runOptionsOf(spec, { MY_KEY: "one" })).toThrow("DOCS_TOKEN is not set");
    const problems = specProblems({
      agent: "claude",
      prompt: `use ${["sk-ant", "api03-abcdefghijklmnopqrstuvwxyz0123456789"].join("-")}`,
    });
    expect(problems[0]?.message).toContain("prompt holds a secret");
  });

  it("is named by its title, or by the first line of what it asks for", () => {
    expect(titleOf({ kind: "agent", prompt: "\n first\nsecond" })).toBe("first");
    expect(titleOf({ kind: "git", command: ["log", "-1"] })).toBe("log -1");
    expect(titleOf({ kind: "file", operation: "delete", path: "a" })).toBe("delete a");
    expect(titleOf({ kind: "agent", title: "T", prompt: "x" })).toBe("T");
  });
});
