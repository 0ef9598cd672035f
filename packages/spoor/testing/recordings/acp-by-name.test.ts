import type { AgentEvent } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { knownAcpAgents } from "../../src/agents/acp/acp-agents.ts";
import { createClient } from "../../src/client.ts";
import { all } from "../run/acp-agent.ts";
import { eventsOf } from "../run/recorded.ts";
import { describeRecordings } from "../run/recordings.ts";

const adapterOf = (name: string) => {
  const found = knownAcpAgents.find((adapter) => adapter.name === name);
  if (!found) throw new Error(`${name} is not known.`);
  return found;
};

for (const name of ["claude-agent-acp", "codex-acp", "kilo", "kimi", "pi-acp"]) describeRecordings(adapterOf(name));

const recorded = (path: string): Promise<AgentEvent[]> => eventsOf(adapterOf(path.split("/")[0] ?? ""), path);
const textOf = (events: readonly AgentEvent[]): string =>
  all(events, "message_stop")
    .map(({ text }) => text)
    .join("|");
const outputOf = (events: readonly AgentEvent[]): string =>
  all(events, "shell_stdout_delta")
    .map(({ delta }) => delta)
    .join("");

describe("commands that agents run themselves", () => {
  it.each([
    ["codex-acp/2.6.0/shell_fail.acp.jsonl", "broken\n"],
    ["pi-acp/0.0.34/shell_fail.acp.jsonl", "broken\n"],
    ["claude-agent-acp/0.99.1/shell_fail.acp.jsonl", "broken"],
  ])("%s reports the output, and exit code 3", async (path, printed) => {
    const events = await recorded(path);
    expect(outputOf(events)).toBe(printed);
    expect(all(events, "shell_exit").map(({ exitCode }) => exitCode)).toEqual([3]);
    expect(textOf(events)).toBe("It failed.");
  });

  it("report the file that was read as the result of the call", async () => {
    const events = await recorded("codex-acp/2.6.0/file_read.acp.jsonl");
    expect(all(events, "tool_result").map(({ output }) => output)).toEqual(["remember the milk\n"]);
    expect(all(events, "file_read")).toHaveLength(1);
  });
});

describe("codex-acp", () => {
  it("reports a full context that comes as a message of the model", async () => {
    const events = await recorded("codex-acp/2.6.0/context_full.acp.jsonl");
    expect(all(events, "context_exceeded")).toHaveLength(1);
    expect(textOf(events)).toBe("");
  });

  it("reports calls of MCP tools, and the error of one", async () => {
    const events = await recorded("codex-acp/2.6.0/mcp.acp.jsonl");
    expect(all(events, "mcp_tool_result")).toMatchObject([{ server: "notes", toolName: "recall" }]);
    expect(all(events, "mcp_tool_error")).toMatchObject([{ toolName: "fail", error: "the notes are broken" }]);
  });

  it("reports a refusal, not an interruption, if it stops because of one", async () => {
    const events = await recorded("codex-acp/2.6.0/permission_refused.acp.jsonl");
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect(all(events, "tool_error")).toMatchObject([{ outcome: "cancelled", error: "Permission was refused." }]);
    expect(events.map(({ type }) => type)).not.toContain("shell_start");
    expect(events.map(({ type }) => type)).not.toContain("interrupted");
  });
});

describe("pi-acp", () => {
  it("leaves out the banner, which is not a message of the model", async () => {
    const events = await recorded("pi-acp/0.0.34/shell_fail.acp.jsonl");
    expect(JSON.stringify(all(events, "debug"))).toContain("AGENTS.md");
    expect(textOf(events)).toBe("It failed.");
  });

  it("fails if a prompt ends without an answer", async () => {
    const events = await recorded("pi-acp/0.0.34/error_401.acp.jsonl");
    expect(all(events, "error")).toMatchObject([
      { recoverable: false, message: expect.stringContaining("pi-acp ended") },
    ]);
  });
});

describe("kilo", () => {
  it("reports a new file and a changed one", async () => {
    expect(all(await recorded("kilo/7.7.7/file_new.acp.jsonl"), "file_create")).toMatchObject([
      { path: "/home/user/project/new.txt", byteCount: 7 },
    ]);
    const [patch] = all(await recorded("kilo/7.7.7/file_edited.acp.jsonl"), "file_patch");
    expect(patch?.diff).toMatch(/^@@ -1,3 \+1,3 @@\n one\n-two\n\+2\n three$/m);
  });
});

describe("kimi", () => {
  it("asks a question that names the command, without output before it", async () => {
    const events = await recorded("kimi/2.1.0/permission_refused.acp.jsonl");
    expect(all(events, "approval_request").map(({ detail }) => detail)).toEqual(["touch refused.txt"]);
    expect(all(events, "tool_call_ready").map(({ input }) => input)).toEqual([{ command: "touch refused.txt" }]);
    expect(events.filter(({ type }) => type.startsWith("shell"))).toEqual([]);
  });

  it("asks once about a command that the client runs", async () => {
    const events = await recorded("kimi/2.1.0/permission_given.acp.jsonl");
    expect(all(events, "approval_request")).toHaveLength(1);
    expect(all(events, "shell_exit")).toMatchObject([{ exitCode: 0 }]);
  });

  it("gives each of two commands its own terminal", async () => {
    const events = await recorded("kimi/2.1.0/two_calls.acp.jsonl");
    const printed = all(events, "shell_stdout_delta").map(({ toolCallId, delta }) => [toolCallId, delta]);
    expect(printed).toEqual([
      ["0:call_1_0", "first\n"],
      ["0:call_1_1", "second\n"],
    ]);
    expect(all(events, "tool_result")).toHaveLength(2);
  });
});

describe("an agent that cannot enforce deny", () => {
  it("is refused before it starts, with the reason", () => {
    const start = (agent: string) => () =>
      createClient().run({ agent, prompt: "x", command: ["no-such-program"], approve: "deny" });
    expect(start("pi-acp")).toThrow(/runs every tool without asking.*Use the agent `pi`/s);
    expect(start("goose")).toThrow(/Nobody has checked that goose asks.*`--approve ask`/s);
  });
});
