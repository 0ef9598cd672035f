import { describe, expect, it } from "vitest";
import { asObject, type Json, parseObject } from "../../kit/json-values.ts";
import type { Driver, LaunchRequest } from "../../machine.ts";
import { copilotLive } from "./copilot-live.ts";

const plain: LaunchRequest = { prompt: "Go.", cwd: "/work", approve: "ask" };

/** Plays the server up to the prompt. Returns what the driver sent, by method. */
function begin(request: Partial<LaunchRequest>): { driver: Driver; sent: Record<string, Json>; order: string[] } {
  const driver = copilotLive.createDriver({ ...plain, ...request });
  const sent: Record<string, Json> = {};
  const order: string[] = [];
  let waiting = driver.open();
  while (waiting.length > 0) {
    const frames = waiting.map((frame) => parseObject(frame) ?? {});
    for (const { method, params } of frames) {
      sent[`${method}`] = asObject(params) ?? {};
      order.push(`${method}`);
    }
    waiting = frames.flatMap(({ id }) => driver.receive?.(JSON.stringify({ id, result: { sessionId: "s-1" } })) ?? []);
  }
  return { driver, sent, order };
}

describe("the driver of Copilot's server", () => {
  it("connects, opens a session, sets the permissions and sends the prompt", () => {
    const { sent, order } = begin({});
    expect(order).toEqual(["connect", "session.create", "session.permissions.configure", "session.send"]);
    expect(sent["session.create"]).toMatchObject({
      workingDirectory: "/work",
      streaming: true,
      requestPermission: true,
    });
    expect(sent["session.send"]).toEqual({ sessionId: "s-1", prompt: "Go." });
  });

  it.each([
    ["ask", true, true, "session.permissions.configure"],
    ["auto", true, false, "session.permissions.setMode"],
    ["deny", false, false, "session.permissions.configure"],
  ] as const)("with %s it may ask for permission: %s, ask questions: %s", (approve, permission, input, method) => {
    const { sent } = begin({ approve });
    expect(sent["session.create"]).toMatchObject({ requestPermission: permission, requestUserInput: input });
    expect(sent).toHaveProperty([method]);
  });

  it("resumes a session or a copy of one", () => {
    const resumed = begin({ resume: "old" });
    expect(resumed.order.slice(0, 2)).toEqual(["connect", "session.resume"]);
    expect(resumed.sent["session.resume"]).toMatchObject({ sessionId: "old" });
    const forked = begin({ fork: "old" });
    expect(forked.order.slice(0, 3)).toEqual(["connect", "sessions.fork", "session.resume"]);
    expect(forked.sent["sessions.fork"]).toEqual({ sessionId: "old" });
    expect(forked.sent["session.resume"]).toMatchObject({ sessionId: "s-1" });
  });

  it("passes the model provider in the environment to the server", () => {
    const environment = {
      COPILOT_MODEL: "my-model",
      COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:1/v1",
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "9000",
      COPILOT_PROVIDER_HEADERS: "X-One: 1\\nX-Two: two words",
    };
    const { sent } = begin({ environment });
    expect(sent["session.create"]).toMatchObject({
      model: "my-model",
      provider: {
        baseUrl: "http://127.0.0.1:1/v1",
        apiKey: "dummy",
        maxPromptTokens: 9000,
        headers: { "X-One": "1", "X-Two": "two words" },
      },
    });
    expect(begin({ environment: {} }).sent["session.create"]).not.toHaveProperty("provider");
    expect(begin({ environment, model: "other" }).sent["session.create"]).toMatchObject({ model: "other" });
  });

  it("passes MCP servers, files and instructions", () => {
    const { sent } = begin({
      systemPrompt: "Be brief.",
      systemPromptMode: "replace",
      mcpServers: [{ name: "notes", command: "node", args: ["notes.mjs"] }],
      remoteMcpServers: [{ name: "far", transport: "streamable-http", url: "http://127.0.0.1:1/mcp" }],
      attachments: [
        { name: "dot.png", mimeType: "image/png", base64: "AAAA" },
        { name: "a.txt", mimeType: "text/plain", base64: "AAAA", path: "/home/dev/a.txt" },
      ],
    });
    expect(sent["session.create"]).toMatchObject({
      systemMessage: { mode: "replace", content: "Be brief." },
      mcpServers: {
        notes: { type: "local", command: "node", args: ["notes.mjs"], tools: ["*"] },
        far: { type: "http", url: "http://127.0.0.1:1/mcp", tools: ["*"] },
      },
    });
    expect(sent["session.send"]).toMatchObject({
      attachments: [
        { type: "blob", mimeType: "image/png", data: "AAAA" },
        { type: "file", path: "/home/dev/a.txt" },
      ],
    });
  });

  it("answers permission requests by id, and questions with the id in its original type", () => {
    const { driver } = begin({});
    const [granted, refused] = [
      driver.answer?.("r-1", { granted: true }),
      driver.answer?.("r-2", { granted: false, text: "No." }),
    ].map((frames) => asObject(parseObject(frames?.[0] ?? "")?.params));
    expect(granted).toMatchObject({ sessionId: "s-1", requestId: "r-1", result: { kind: "approve-once" } });
    expect(refused).toMatchObject({ requestId: "r-2", result: { kind: "reject", feedback: "No." } });
    driver.receive?.('{"jsonrpc":"2.0","id":7,"method":"userInput.request","params":{"question":"Which?"}}');
    const [answer] = driver.answer?.("question-7", { granted: true, text: "Blue" }) ?? [];
    expect(parseObject(answer ?? "")).toMatchObject({ id: 7, result: { answer: "Blue" } });
  });

  it("responds to every request of the server", () => {
    const { driver } = begin({});
    const [reply] = driver.receive?.('{"jsonrpc":"2.0","id":3,"method":"hooks.invoke","params":{}}') ?? [];
    expect(parseObject(reply ?? "")).toMatchObject({ id: 3, error: { code: -32601 } });
  });

  it("gives up if no session can be opened", () => {
    const driver = copilotLive.createDriver({ ...plain, resume: "gone" });
    driver.open();
    driver.receive?.('{"id":0,"result":{}}');
    expect(driver.hasGivenUp).toBe(false);
    expect(driver.receive?.('{"id":1,"error":{"message":"Session not found"}}')).toEqual([]);
    expect(driver.hasGivenUp).toBe(true);
  });
});
