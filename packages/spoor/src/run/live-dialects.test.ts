import { describe, expect, it } from "vitest";
import type { Ability, Attachment, LaunchRequest, LiveDialect } from "../agents/machine.ts";
import { adapters } from "../agents/registry.ts";

/** How options that not every agent supports reach each agent. */
const wireOf = (agent: string): LiveDialect => {
  const live = adapters.find(({ name }) => name === agent)?.dialects.find((dialect) => dialect.live)?.live;
  if (!live) throw new Error(`${agent} cannot be run.`);
  return live;
};

const plain: LaunchRequest = { prompt: "Look.", cwd: "/project", approve: "auto" };
const image: Attachment = { name: "dot.png", mimeType: "image/png", base64: "iVBORw==", path: "/project/dot.png" };
const pasted: Attachment = { name: "dot.gif", mimeType: "image/gif", base64: "R0lGODlh" };

const line = (agent: string, request: Partial<LaunchRequest>): string =>
  wireOf(agent)
    .launch({ ...plain, ...request })
    .args.join(" ");

describe("each agent gets in its own form", () => {
  it.each([
    ["claude", { systemPrompt: "Be kind.", systemPromptMode: "replace" }, "--system-prompt Be kind."],
    ["claude", { thinkingEffort: "max" }, "--effort max"],
    ["pi", { thinkingEffort: "high" }, "--thinking high"],
    ["pi", { skills: ["/skills/a", "/skills/b"] }, "--skill /skills/a --skill /skills/b"],
    ["pi", { systemPrompt: "Be kind.", systemPromptMode: "replace" }, "--system-prompt Be kind."],
    ["codex", { thinkingEffort: "max" }, '-c model_reasoning_effort="xhigh"'],
    ["qwen", { noSession: true }, "--chat-recording=false"],
    ["qwen", { systemPrompt: "Be kind." }, "--append-system-prompt Be kind."],
    ["gemini", { model: "flash" }, "--model flash"],
  ] as const)("of %s for %j", (agent, request, words) => {
    expect(line(agent, request)).toContain(words);
  });

  it("MCP servers, by command and by address", () => {
    const mcpServers = [{ name: "notes", command: "node", args: ["notes.mjs"] }];
    const remoteMcpServers = [
      { name: "far", transport: "streamable-http", url: "http://localhost/mcp", headers: { "X-Key": "dummy" } },
      { name: "old", transport: "sse", url: "http://localhost/sse" },
    ] as const;
    const configOf = (agent: string) => {
      const { args } = wireOf(agent).launch({ ...plain, mcpServers, remoteMcpServers });
      return JSON.parse(args[args.indexOf("--mcp-config") + 1] ?? "").mcpServers;
    };
    const notes = { command: "node", args: ["notes.mjs"] };
    const headers = { "X-Key": "dummy" };
    expect(configOf("claude")).toEqual({
      notes,
      far: { type: "http", url: "http://localhost/mcp", headers },
      old: { type: "sse", url: "http://localhost/sse" },
    });
    expect(configOf("qwen")).toEqual({
      notes,
      far: { httpUrl: "http://localhost/mcp", headers },
      old: { url: "http://localhost/sse" },
    });
    const [far] = remoteMcpServers;
    expect(line("codex", { remoteMcpServers: [far] })).toContain(
      '-c mcp_servers.far.url="http://localhost/mcp" -c mcp_servers.far.http_headers={"X-Key"="dummy"}',
    );
  });

  it("limits, as environment variables", () => {
    expect(wireOf("claude").launch({ ...plain, maxOutputTokens: 512 }).set).toEqual({
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: "512",
    });
  });
});

describe("attachments", () => {
  const attachments = [image, pasted];

  it("go to claude as blocks before the prompt, documents too", () => {
    const text: Attachment = { name: "notes.md", mimeType: "text/markdown", base64: btoa("Hello.") };
    const [frame] = wireOf("claude")
      .createDriver({ ...plain, attachments: [image, text] })
      .open();
    expect(JSON.parse(frame ?? "").message.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } },
      { type: "document", title: "notes.md", source: { type: "text", media_type: "text/plain", data: "Hello." } },
      { type: "text", text: "Look." },
    ]);
  });

  it("go to codex by path if there is one, else as a data URL", () => {
    const driver = wireOf("codex").createDriver({ ...plain, attachments });
    driver.open();
    driver.receive?.('{"id":0,"result":{}}');
    const [turn] = driver.receive?.('{"id":1,"result":{"thread":{"id":"t"}}}') ?? [];
    expect(JSON.parse(turn ?? "").params.input).toEqual([
      { type: "localImage", path: "/project/dot.png" },
      { type: "image", url: "data:image/gif;base64,R0lGODlh" },
      { type: "text", text: "Look.", text_elements: [] },
    ]);
  });

  it("go to pi beside the message", () => {
    const [, frame] = wireOf("pi")
      .createDriver({ ...plain, attachments })
      .open();
    expect(JSON.parse(frame ?? "").images).toEqual([
      { type: "image", data: "iVBORw==", mimeType: "image/png" },
      { type: "image", data: "R0lGODlh", mimeType: "image/gif" },
    ]);
  });
});

it("qwen asks for permission in both of its dialects if the run asks or denies", () => {
  const live = adapters.find(({ name }) => name === "qwen")?.dialects.map((dialect) => dialect.live) ?? [];
  expect(live).toHaveLength(2);
  for (const approve of ["ask", "deny"] as const) {
    const lines = live.map((each) => each?.launch({ ...plain, approve }).args.join(" "));
    for (const line of lines) expect(line).toContain("--approval-mode default");
  }
});

it("no dialect lists an unknown option in `takes`, or the same option in `refuses`", () => {
  for (const { live } of adapters.flatMap(({ dialects }) => dialects)) {
    const refused = Object.keys(live?.refuses ?? {}) as Ability[];
    expect(refused.filter((ability) => live?.takes?.includes(ability))).toEqual([]);
  }
});
