import { writeFileSync } from "node:fs";
import path from "node:path";
import type { AgentEvent } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { all, answersIn, eventsOfRun, newWorkspace, runAcp, type Step } from "../../testing/run/acp-agent.ts";
import { eventsOfLines, violationsOf } from "../../testing/run/recordings.ts";
import { cursor } from "../agents/cursor/index.ts";
import { createAcpDialect } from "../agents/dialects/acp/index.ts";
import type { Driver, LaunchRequest } from "../agents/machine.ts";

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const text = (events: readonly AgentEvent[]) => all(events, "message_stop").map((event) => event.text);
const chunk = (words: string, more: object = {}): Step => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words }, ...more },
});
const permission = (
  options: object[],
  toolCall: object = { toolCallId: "c", title: "rm -rf dist", kind: "execute" },
): Step => ({
  ask: "session/request_permission",
  params: { toolCall, options },
});
const yesOrNo = [
  { optionId: "y", name: "Allow", kind: "allow_once" },
  { optionId: "n", name: "Reject", kind: "reject_once" },
];

describe("what ACP agents get wrong", () => {
  it("lines on standard output that are not JSON objects become logs", async () => {
    const raw = ["Debugger attached.", '[{"jsonrpc":"2.0","method":"x"}]', '"text"', "null", "", "{broken"];
    const events = await eventsOfRun(runAcp([...raw.map((line) => ({ raw: line })), { say: "Fine." }]));
    expect(all(events, "log").map(({ line }) => line)).toEqual(raw.filter((line) => line !== ""));
    expect(text(events)).toEqual(["Fine."]);
  });

  it("unknown updates and notifications, with or without an underscore, become debug events", async () => {
    const steps = [
      { update: { sessionUpdate: "never_heard_of", field: 1 } },
      { update: { sessionUpdate: "available_commands_update", availableCommands: [] } },
      { update: { sessionUpdate: "current_mode_update", currentModeId: "code" } },
      { notify: "_auth/status_update", params: { ok: true } },
      { notify: "vendor/notify", params: {} },
      { notify: "session/update", params: { sessionId: "s1" } },
      { notify: "session/update" },
      { say: "Fine." },
    ];
    const events = await eventsOfRun(runAcp(steps));
    const debug = JSON.stringify(all(events, "debug"));
    for (const word of ["never_heard_of", "available_commands", "currentModeId", "_auth/status", "vendor/notify"]) {
      expect(debug).toContain(word);
    }
    expect(text(events)).toEqual(["Fine."]);
  });

  it("unsupported requests are answered with an error, so that the agent does not wait", async () => {
    const asked = ["craft/drainMidTurnQueue", "_vendor/thing", "elicitation/create", "toString", "session/update"];
    const steps = [...asked.map((method) => ({ ask: method, params: {} })), { report: true }];
    const events = await eventsOfRun(runAcp(steps));
    expect(answersIn(events).map(({ error }) => error?.code)).toEqual(asked.map(() => -32601));
    expect(types(events)).not.toContain("input_required");
  });

  it("ids that are names of built-in JavaScript properties are ordinary ids", async () => {
    const call = { toolCallId: "__proto__", title: "constructor", kind: "constructor", status: "completed" };
    const steps = [{ update: { sessionUpdate: "tool_call", ...call } }, { stop: "toString" }];
    const handle = runAcp(steps);
    expect(all(await eventsOfRun(handle), "tool_call_ready")).toMatchObject([{ toolKind: "other" }]);
    expect((await handle).exitReason).toBe("completed");
  });

  it("messages with the same id or without one are separate if something comes between them", async () => {
    const call = { toolCallId: "c", title: "Look", kind: "read", status: "completed" };
    const steps = [
      chunk("one", { messageId: "m" }),
      { update: { sessionUpdate: "tool_call", ...call } },
      chunk("two", { messageId: "m" }),
      { update: { sessionUpdate: "tool_call", ...call, toolCallId: "d" } },
      chunk("thr"),
      chunk("ee"),
    ];
    expect(text(await eventsOfRun(runAcp(steps)))).toEqual(["one", "two", "three"]);
  });

  it("the plain option to allow once is preferred to one that also changes the mode", async () => {
    const options = [
      { optionId: "proceed_once_and_switch", name: "Switch mode and allow once", kind: "allow_once" },
      { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
      { optionId: "cancel", name: "Reject", kind: "reject_once" },
    ];
    const events = await eventsOfRun(runAcp([permission(options), { report: true }], { approve: "ask" }), true);
    expect(answersIn(events)[0]?.result).toEqual({ outcome: { outcome: "selected", optionId: "proceed_once" } });
  });

  it("a permission request without a suitable option is answered as cancelled", async () => {
    const [answer] = answersIn(await eventsOfRun(runAcp([permission([]), { report: true }])));
    expect(answer?.result).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("a permission request that the agent withdraws is answered and no longer open", async () => {
    const steps = [
      { send: "session/request_permission", params: { toolCall: { toolCallId: "c", title: "x" }, options: yesOrNo } },
      { notify: "$/cancel_request", params: { requestId: 0 } },
      { reap: true },
      { report: true },
    ];
    const events = await eventsOfRun(runAcp(steps, { approve: "ask" }));
    expect(answersIn(events)[0]?.error?.code).toBe(-32800);
    expect(all(events, "approval_denied")).toHaveLength(1);
  });

  it("a cost in another currency than dollars is ignored", async () => {
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 3, currency: "credits" } };
    const events = await eventsOfRun(runAcp([{ update: usage }, { say: "Fine." }]));
    expect(types(events)).not.toContain("cost");
  });

  it("an agent that ignores the end of its input and SIGTERM is killed", async () => {
    const cwd = newWorkspace();
    const program = path.join(cwd, "deaf.sh");
    writeFileSync(
      program,
      `trap '' TERM
read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
read line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read line; echo '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}'
sleep 60`,
    );
    const handle = runAcp([], { cwd, command: ["/bin/sh", program], gracePeriodMs: 50 });
    expect(await handle).toMatchObject({ exitReason: "completed" });
  });

  it("open questions are closed when the agent dies", async () => {
    const params = { toolCall: { toolCallId: "c", title: "x", kind: "execute" }, options: yesOrNo };
    const handle = runAcp([{ send: "session/request_permission", params }, { exit: 3 }], { approve: "ask" });
    const events = await eventsOfRun(handle);
    expect(all(events, "approval_denied")).toHaveLength(1);
    expect((await handle).exitReason).toBe("crashed");
  });
});

describe("cancelling", () => {
  it("answers earlier and later permission requests with cancelled and ends as interrupted", async () => {
    const ask = (id: string): Step => ({
      send: "session/request_permission",
      params: { toolCall: { toolCallId: id, title: id, kind: "execute" }, options: yesOrNo },
    });
    const steps = [
      ask("a"),
      ask("b"),
      { hang: true },
      ask("late"),
      { reap: true },
      chunk("after"),
      { report: true },
      { stop: "cancelled" },
    ];
    const handle = runAcp(steps, { approve: "ask" });
    let asked = 0;
    handle.interaction.onPending(() => {
      asked += 1;
      if (asked === 2) queueMicrotask(() => handle.interrupt());
    });
    const events = await eventsOfRun(handle);
    expect(text(events).join("")).toContain(JSON.stringify({ outcome: { outcome: "cancelled" } }));
    expect(
      text(events)
        .join("")
        .match(/"cancelled"/g),
    ).toHaveLength(3);
    expect(all(events, "approval_denied")).toHaveLength(3);
    expect((await handle).exitReason).toBe("interrupted");
  });

  it("ends the process if no session is open yet", async () => {
    const handle = runAcp([], { command: [process.execPath, "-e", "setInterval(() => {}, 1000)"] });
    handle.interrupt();
    expect((await handle).exitReason).toBe("interrupted");
  });
});

describe("opening a session", () => {
  const error = (code: number, message = "no", data?: object) => ({ error: { code, message, ...(data && { data }) } });

  it.each([
    ["requires a login but offers no way to log in", { "session/new": error(-32000) }, "AUTH_ERROR"],
    ["fails at once", { initialize: error(-32603, "broken") }, "INTERNAL"],
    ["speaks another version", { initialize: { protocolVersion: 2 } }, "CAPABILITY_ERROR"],
    ["opens a session without an id", { "session/new": {} }, "INTERNAL"],
    ["answers with null", { "session/new": null }, "INTERNAL"],
  ])("ends the run with the reason when the agent %s", async (_, answers, code) => {
    const result = await runAcp([{ say: "never" }], { answers });
    expect(result).toMatchObject({ exitReason: "failed", error: { code } });
  });

  it.each([-32002, -32602, -32603])("reads error code %i as a session that does not exist", async (code) => {
    const result = await runAcp([], { resume: "gone", answers: { "session/load": error(code) } });
    expect(result).toMatchObject({ exitReason: "failed", error: { code: "SESSION_NOT_FOUND" } });
  });

  it("says that an agent cannot fork", async () => {
    const result = await runAcp([], { fork: "s0" });
    expect(result).toMatchObject({ exitReason: "failed", error: { code: "CAPABILITY_ERROR" } });
  });

  it("finds a nested session id, and assigns updates without a session to the only session", async () => {
    const params = { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hello." } } };
    const other = { sessionId: "child", update: params.update };
    const answers = { "session/new": { session: { id: "inner" } } };
    const steps = [
      { notify: "session/update", params },
      { notify: "session/update", params: { ...other } },
    ];
    const events = await eventsOfRun(runAcp(steps, { answers }));
    expect(all(events, "session_start")).toMatchObject([{ sessionId: "inner" }]);
    expect(text(events)).toEqual(["Hello."]);
  });

  it("counts the turns that loading a session replays, and emits none of them again", async () => {
    const chunkUpdate = (sessionUpdate: string, words: string) => ({
      sessionUpdate,
      content: { type: "text", text: words },
    });
    const call = { toolCallId: "t", title: "x", kind: "read", status: "completed" };
    const before = [chunkUpdate("user_message_chunk", "do it"), chunkUpdate("agent_message_chunk", "Looking.")];
    const after = [{ sessionUpdate: "tool_call", ...call }, chunkUpdate("agent_message_chunk", "Done.")];
    const lines = [
      { dir: "in", msg: { id: 1, method: "session/load", params: { sessionId: "s1", cwd: "/w", mcpServers: [] } } },
      ...before.map((update) => ({
        dir: "out",
        msg: { method: "session/update", params: { sessionId: "s1", update } },
      })),
      { dir: "out", msg: { id: 1, result: null } },
      ...after.map((update) => ({
        dir: "out",
        msg: { method: "session/update", params: { sessionId: "s1", update } },
      })),
      { dir: "in", msg: { id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } } },
      { dir: "out", msg: { method: "session/update", params: { update: chunkUpdate("agent_message_chunk", "New.") } } },
      { dir: "out", msg: { id: 2, result: { stopReason: "end_turn" } } },
    ].map(({ dir, msg }) => JSON.stringify({ dir, msg: { jsonrpc: "2.0", ...msg } }));
    const adapter = { name: "acp", title: "", dialects: [createAcpDialect({ launch: { command: "", args: [] } })] };
    const recorded = await eventsOfLines(adapter, lines);
    expect(all(recorded, "session_resume")).toMatchObject([{ priorTurnCount: 2 }]);
    expect(all(recorded, "session_end")).toMatchObject([{ turnCount: 3 }]);
    expect(text(recorded)).toEqual(["New."]);
    const live = await eventsOfRun(
      runAcp([{ say: "New." }], { resume: "s1", answers: { before: [...before, ...after] } }),
    );
    expect(all(live, "session_resume")).toMatchObject([{ sessionId: "s1", priorTurnCount: 2 }]);
    expect(text(live)).toEqual(["New."]);
  });
});

describe("updates at unexpected times", () => {
  const adapter = { name: "acp", title: "", dialects: [createAcpDialect({ launch: { command: "", args: [] } })] };
  const lines = (...frames: [dir: "in" | "out", message: object][]) =>
    frames.map(([dir, msg]) => JSON.stringify({ dir, msg: { jsonrpc: "2.0", ...msg } }));
  const textChunk = (words: string, sessionId = "s1"): [dir: "out", message: object] => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } };
    return ["out", { method: "session/update", params: { sessionId, update } }];
  };
  const opened: [dir: "in" | "out", message: object][] = [
    ["in", { id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } }],
    textChunk("before the session is open"),
    ["out", { id: 1, result: { sessionId: "s1" } }],
    textChunk("before the prompt"),
    ["in", { id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } }],
  ];

  it("that are too early, too late or of other sessions become debug events", async () => {
    const end: [dir: "out", message: object] = ["out", { id: 2, result: { stopReason: "cancelled" } }];
    const events = await eventsOfLines(
      adapter,
      lines(...opened, textChunk("Now."), textChunk("elsewhere", "s2"), end, textChunk("late")),
    );
    expect(violationsOf(events)).toEqual([]);
    expect(text(events)).toEqual(["Now."]);
    const debug = JSON.stringify(all(events, "debug"));
    for (const words of ["session is open", "before the prompt", "elsewhere", "late"]) expect(debug).toContain(words);
  });

  it("a prompt that is answered twice, or with an unknown id, ends once", async () => {
    const end: [dir: "out", message: object] = ["out", { id: 2, result: { stopReason: "end_turn" } }];
    const stray: [dir: "out", message: object] = ["out", { id: 99, result: {} }];
    const events = await eventsOfLines(adapter, lines(...opened, textChunk("Now."), stray, end, end));
    expect(violationsOf(events)).toEqual([]);
    expect(all(events, "turn_end")).toHaveLength(1);
  });
});

describe("what Spoor sends to the agent", () => {
  const handshake = async (options: Parameters<typeof runAcp>[1]) =>
    JSON.parse(text(await eventsOfRun(runAcp([{ handshake: true }], options)))[0] ?? "[]") as {
      method: string;
      params: { [name: string]: unknown };
    }[];

  it("includes our capabilities, our name and the MCP servers to start", async () => {
    const mcpServers = [{ name: "notes", command: "node", args: ["notes.js"], env: { A: "1" } }];
    const [initialize, opening] = await handshake({ mcpServers });
    expect(initialize?.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      clientInfo: { name: "spoor" },
    });
    expect(opening).toMatchObject({
      method: "session/new",
      params: {
        mcpServers: [{ name: "notes", command: "node", args: ["notes.js"], env: [{ name: "A", value: "1" }] }],
      },
    });
  });

  it("offers only capabilities that we serve", () => {
    const request: LaunchRequest = { prompt: "x", cwd: "/w", approve: "ask" };
    const driver = createAcpDialect({ launch: { command: "x", args: [] } }).live.createDriver(request);
    expect(JSON.parse(driver.open()[0] ?? "").params.clientCapabilities).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: { notices: {}, compaction: {} },
    });
    const read = { jsonrpc: "2.0", id: 7, method: "fs/read_text_file", params: { path: "/w/a" } };
    expect(driver.receive?.(JSON.stringify(read)).join("")).toContain("-32601");
    expect(driver.requests?.()).toEqual([]);
  });

  it("resumes a session if the agent cannot load it", async () => {
    const initialize = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } };
    const frames = await handshake({ resume: "s1", answers: { initialize, "session/resume": null } });
    expect(frames[1]).toMatchObject({ method: "session/resume", params: { sessionId: "s1" } });
  });

  it.each([
    [
      { configOptions: [{ id: "m", category: "model", options: [] }] },
      "session/set_config_option",
      { configId: "m", value: "big" },
    ],
    [{ models: { availableModels: [] } }, "session/set_model", { modelId: "big" }],
  ])("chooses the model by the method that the session offers: %j", async (offer, method, params) => {
    const frames = await handshake({
      model: "big",
      answers: { "session/new": { sessionId: "s1", ...offer }, [method]: {} },
    });
    expect(frames[2]).toMatchObject({ method, params: { sessionId: "s1", ...params } });
  });

  it("ends the run if the requested model cannot be chosen", async () => {
    const result = await runAcp([{ say: "never" }], { model: "big" });
    expect(result).toMatchObject({ exitReason: "failed", error: { message: expect.stringContaining("set_model") } });
    expect(result.text).toBe("");
  });

  it("logs in first if the agent needs it, and answers the agent's own requests", () => {
    const request: LaunchRequest = { prompt: "x", cwd: "/w", approve: "ask" };
    const live = cursor.dialects.find(({ name }) => name === "acp")?.live;
    const driver = live?.createDriver(request) as Driver;
    const receive = (message: object) =>
      driver.receive?.(JSON.stringify({ jsonrpc: "2.0", ...message })).join("") ?? "";
    driver.open();
    const offer = { protocolVersion: 1, authMethods: [{ id: "cursor_login", name: "Log in" }] };
    expect(receive({ id: 0, result: offer })).toContain('"authenticate","params":{"methodId":"cursor_login"}');
    expect(receive({ id: 1, result: {} })).toContain('"session/new"');
    expect(receive({ id: 2, result: { sessionId: "s" } })).toContain('"session/prompt"');
    const question = { id: "q", method: "cursor/ask_question", params: {} };
    expect(receive(question)).toContain('"id":"q","result":{"outcome":"cancelled"}');
  });

  it("sends attachments in the form that the agent accepts", async () => {
    const attachments = [
      { name: "a.png", mimeType: "image/png", base64: "AAAA", path: "/w/a.png" },
      { name: "a.wav", mimeType: "audio/wav", base64: "BBBB" },
      { name: "a.md", mimeType: "text/markdown", base64: "IyBIaQ==", path: "/w/a.md" },
      { name: "page", mimeType: "text/html", url: "https://example.org/" },
    ];
    const blocks = (promptCapabilities: object): object[] => {
      const request: LaunchRequest = { prompt: "look", cwd: "/w", approve: "ask", attachments };
      const driver = createAcpDialect({ launch: { command: "x", args: [] } }).live.createDriver(request);
      const receive = (id: number, result: object) =>
        driver.receive?.(JSON.stringify({ jsonrpc: "2.0", id, result })) ?? [];
      driver.open();
      receive(0, { protocolVersion: 1, agentCapabilities: { promptCapabilities } });
      return JSON.parse(receive(2, { sessionId: "s" })[0] ?? "{}").params.prompt;
    };
    expect(blocks({ image: true, audio: true, embeddedContext: true })).toEqual([
      { type: "text", text: "look" },
      { type: "image", data: "AAAA", mimeType: "image/png", uri: "file:///w/a.png" },
      { type: "audio", data: "BBBB", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///w/a.md", mimeType: "text/markdown", text: "# Hi" } },
      { type: "resource_link", uri: "https://example.org/", name: "page", mimeType: "text/html" },
    ]);
    expect(blocks({}).slice(1)).toEqual([
      { type: "resource_link", uri: "file:///w/a.png", name: "a.png", mimeType: "image/png" },
      { type: "resource_link", uri: "data:audio/wav;base64,BBBB", name: "a.wav", mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///w/a.md", name: "a.md", mimeType: "text/markdown" },
      { type: "resource_link", uri: "https://example.org/", name: "page", mimeType: "text/html" },
    ]);
  });
});
