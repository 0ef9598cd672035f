import { agentEventTypes, envelopeCatalog, jsonSchema } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { run } from "../../../testing/cli/run.ts";

describe("spoor schema TYPE", () => {
  it.each(["run.finished", "text_delta", "envelope", "event", "agent-event"])(
    "prints the schema of %s",
    async (type) => {
      const { code, stdout, stderr } = await run(["schema", type]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual(jsonSchema(type));
      expect(stdout.endsWith("}\n")).toBe(true);
    },
  );

  it("suggests the nearest types for an unknown one, and exits with 2", async () => {
    expect(await run(["schema", "run.finishd"])).toEqual({
      code: 2,
      stdout: "",
      stderr: 'There is no event type "run.finishd". Did you mean run.finished?\n',
    });
  });

  it("names the command that lists the types if no type is near", async () => {
    const { code, stderr } = await run(["schema", "hologram\u001b[31m"]);
    expect(code).toBe(2);
    expect(stderr).toBe('There is no event type "hologram\\u001b[31m". `spoor schema` lists all types.\n');
  });
});

describe("spoor schema", () => {
  it("lists every type with its standing or category and its summary", async () => {
    const { code, stdout } = await run(["schema"]);
    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines).toHaveLength(1 + envelopeCatalog.length + agentEventTypes.length);
    expect(lines[0]).toMatch(/^TYPE +STANDING OR CATEGORY {2}WHEN$/);
    expect(lines).toContainEqual(expect.stringMatching(/^run\.finished +core +The run succeeded\. Terminal\.$/));
    expect(lines).toContainEqual(expect.stringMatching(/^text_delta +text +The next piece of the message\.$/));
    const second = (lines[0] as string).indexOf("STANDING");
    expect(lines.filter((line) => !/^ {2}\S/.test(line.slice(second - 2)))).toEqual([]);
  });

  it("lists one shape when asked", async () => {
    const { stdout } = await run(["schema", "--shape", "agent-event"]);
    expect(stdout.split("\n")[0]).toMatch(/^TYPE +CATEGORY +WHEN$/);
    expect(stdout).toContain("text_delta");
    expect(stdout).not.toContain("run.finished");
  });

  it("lists as JSON", async () => {
    const { stdout } = await run(["schema", "--json"]);
    const list = JSON.parse(stdout);
    expect(list).toHaveLength(envelopeCatalog.length + agentEventTypes.length);
    expect(list[0]).toEqual({
      type: "run.created",
      shape: "envelope",
      standing: "core",
      summary: envelopeCatalog[0]?.summary,
    });
    expect(list.at(-1)).toEqual({
      type: "log",
      shape: "agent-event",
      category: "debug",
      summary: "A line of the agent's output that is not a frame.",
    });
    const { stdout: some } = await run(["schema", "--json", "--shape", "envelope"]);
    expect(JSON.parse(some)).toHaveLength(envelopeCatalog.length);
  });

  it("refuses an unknown shape with exit code 2", async () => {
    const { code, stdout, stderr } = await run(["schema", "--shape", "round"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Allowed choices are envelope, agent-event");
  });
});
