import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { agentsWithSessions, homeWithSessions } from "../../../testing/sessions/home-with-sessions.ts";
import { acp } from "../../agents/acp/index.ts";
import { claude } from "../../agents/claude/index.ts";
import { gemini } from "../../agents/gemini/index.ts";
import { createSessions } from "./sessions.ts";

const FIRST = "172748a8-dd91-4d69-84c5-bffd9168ff4b";
const COPY = "d802918d-b8be-40ca-bc75-277cf8cfb018";
const projects = ".claude/projects/-home-user-project";

const onPosix = it.skipIf(process.platform === "win32");

const line = (record: object): string => `${JSON.stringify(record)}\n`;
const prompt = (text: string, rest: object = {}): string =>
  line({ type: "user", cwd: "/work", timestamp: "2026-11-01T10:00:00Z", message: { content: text }, ...rest });

it("lists the sessions of all agents, the newest first", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  const listed = await sessions.list();
  expect(new Set(listed.map(({ agent }) => agent))).toEqual(new Set(agentsWithSessions.map(({ name }) => name)));
  expect(listed.map(({ updatedAt }) => updatedAt)).toEqual(
    listed.map(({ updatedAt }) => updatedAt).toSorted((one, other) => other - one),
  );
  for (const { cwd, title, startedAt, model, notes } of listed) {
    expect({ cwd, notes }).toEqual({ cwd: "/home/user/project", notes: undefined });
    expect(title).toMatch(/^(Do the thing|In a copy|Ask a helper|Please do the scripted thing|Fine\.( \(fork #1\))?)$/);
    expect(startedAt).toBeGreaterThan(0);
    expect(model).toBeDefined();
  }
});

it.each(agentsWithSessions.map(({ name }) => name))("reads the messages of a session of %s", async (agent) => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  const listed = await sessions.list(agent);
  for (const { id, updatedAt } of listed) {
    const session = await sessions.get(id);
    expect(session).toMatchObject({ id, agent });
    expect(session.notes).toBeUndefined();
    expect(Math.abs(session.updatedAt - updatedAt)).toBeLessThan(1000);
    const roles = session.messages.map(({ role }) => role).filter((role) => role !== "system");
    expect(roles[0]).toBe("user");
    expect(roles.at(-1)).toBe("assistant");
    expect(session.turnCount).toBe(roles.filter((role) => role === "assistant").length);
    const calls = session.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ toolCallId }) => toolCallId));
    const results = session.messages.flatMap(({ toolResult }) => (toolResult ? [toolResult.toolCallId] : []));
    expect(results).toEqual(calls);
    expect(session.cost.inputTokens).toBeGreaterThanOrEqual(100 * session.turnCount);
    for (const { text } of session.messages.filter(({ role }) => role === "user")) expect(text).not.toContain("<");
  }
});

it("distinguishes prompts, answers, tool calls and results", async () => {
  const sessions = createSessions({ adapters: [claude], ...homeWithSessions([claude]) });
  const { messages } = await sessions.get(FIRST);
  expect(messages).toMatchObject([
    { role: "user", text: "Do the thing" },
    {
      role: "assistant",
      text: "I run it.",
      toolCalls: [{ toolName: "Bash", input: { command: "echo out; echo more" } }],
    },
    { role: "tool", text: "out\nmore", toolResult: { isError: false } },
    { role: "assistant", text: "It ran.", model: "claude-opus-5-5" },
    { role: "user", text: "And again" },
    { role: "assistant", text: "I remember." },
  ]);
});

it("counts the usage of subagents but leaves out their messages", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  for (const agent of ["claude", "copilot", "qwen"]) {
    const [listed] = (await sessions.list(agent)).filter(({ title }) => title === "Ask a helper");
    const { messages, cost, turnCount } = await sessions.get(listed?.id ?? "");
    expect(turnCount).toBe(2);
    expect(cost.outputTokens).toBe(40);
    expect(messages.map(({ text }) => text)).not.toContain("SUBTASK: look around.");
  }
});

it("counts each model call once, even when several sessions contain it", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  for (const [agent, calls] of Object.entries({
    claude: 8,
    copilot: 8,
    gemini: 3,
    openclaw: 7,
    opencode: 10,
    pi: 4,
    qwen: 8,
    codex: 5,
  })) {
    const { cost } = await sessions.totalCost({ agent });
    expect([agent, cost.outputTokens]).toEqual([agent, calls * 10]);
  }
  const copy = await sessions.get(COPY);
  expect(copy.cost.outputTokens).toBe(40);
});

it("uses the last record of a model call with the time of the first, and prices cache writes separately", async () => {
  const usage = (output_tokens: number) => ({ input_tokens: 0, cache_creation_input_tokens: 1_000_000, output_tokens });
  const modelCall = (output: number, timestamp: string, id = "msg_a") =>
    line({
      type: "assistant",
      timestamp,
      message: { id, model: "claude-sonnet-4-5", content: [], usage: usage(output) },
    });
  const home = privateHome({
    ".claude/projects/p/one.jsonl": modelCall(1, "2026-11-01T23:59:59Z") + modelCall(500, "2026-11-02T00:00:01Z"),
    ".claude/projects/p/two.jsonl": modelCall(500, "2026-11-02T00:00:01Z"),
  });
  const sessions = createSessions({ adapters: [claude], ...home });
  const total = await sessions.totalCost({ groupBy: "day" });
  expect(total.cost).toMatchObject({ inputTokens: 1_000_000, outputTokens: 500, source: "estimated" });
  expect(total.cost.totalUsd).toBeGreaterThan(3.5);
  expect(total.groups?.map(({ key }) => key)).toEqual(["2026-11-01"]);
});

it("groups costs and counts tokens without a price", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  const byAgent = await sessions.totalCost({ groupBy: "agent" });
  expect(byAgent.groups?.map(({ key }) => key).sort()).toEqual(agentsWithSessions.map(({ name }) => name).sort());
  expect(byAgent.unpricedTokens).toBeGreaterThan(0);
  const [model] = (await sessions.totalCost({ agent: "claude", groupBy: "model" })).groups ?? [];
  expect(model).toMatchObject({ key: "claude-opus-5-5", cost: { source: "estimated" } });
  expect((await sessions.totalCost({ since: Date.parse("2027-01-01") })).cost.inputTokens).toBe(0);
  expect((await sessions.totalCost({ agent: "omp" })).cost.source).toBe("agent_reported");
});

it("filters by agent, time, model and directory, and stops at a limit", async () => {
  const home = homeWithSessions();
  const sessions = createSessions({ adapters: agentsWithSessions, ...home });
  expect(await sessions.list("claude")).toHaveLength(3);
  expect(await sessions.list("claude", { limit: 2 })).toHaveLength(2);
  expect(await sessions.list(undefined, { model: "gpt-5.5" })).toHaveLength(2);
  expect(await sessions.list(undefined, { cwd: "/elsewhere" })).toEqual([]);
  expect((await sessions.list(undefined, { cwd: "/home/user/project/" })).length).toBeGreaterThan(10);
  expect(await sessions.list(undefined, { until: Date.parse("2026-11-15T02:00:00Z") })).toMatchObject([
    { agent: "omp" },
  ]);
  await expect(sessions.list("claude", { limit: 0 })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

it("finds a session by either id, or by a unique beginning or end of it", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  for (const id of [`claude:${FIRST}`, FIRST, "ff4b", "claude:ff4b", "172748A8"]) {
    expect((await sessions.find(id)).nativeId).toBe(FIRST);
  }
  expect((await sessions.find("f9daab1cf66b")).id).toBe("gemini:e0bc7156-4741-4140-9c08-f9daab1cf66b");
  await expect(sessions.get("nothing-like-it")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  await expect(sessions.get("claude:467f75c0-6693-4b92-801c-14e9aa82542a")).rejects.toMatchObject({
    code: "SESSION_NOT_FOUND",
  });
  await expect(sessions.get("claude:")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  await expect(sessions.get("4")).rejects.toThrow(/matches \d+ sessions/);
});

it("names the session a fork was made from, if the agent records it", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  const copies = (await sessions.list()).filter(({ forkedFrom }) => forkedFrom !== undefined);
  expect(copies.map(({ forkedFrom }) => forkedFrom).sort()).toEqual([
    "codex:01a1ddd2-78d7-7122-87b1-dc663bf64854",
    "pi:01a1ddd3-0795-7232-b162-0ad8d6bea2b4",
  ]);
});

it("searches messages, tool calls and results, ignoring case", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  const found = await sessions.search("i REMEMBER", { agent: "pi" });
  expect(found.map(({ session }) => session.agent)).toEqual(["pi", "pi"]);
  expect(found[0]?.matches[0]).toMatchObject({ role: "assistant", excerpt: "I remember." });
  expect(await sessions.search("echo out", { agent: "claude", limit: 1 })).toHaveLength(1);
  expect(await sessions.search('"not said"')).toEqual([]);
  // The agent itself added this text to the prompt.
  expect(await sessions.search("We are setting up the context")).toEqual([]);
  await expect(sessions.search("")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

it("exports a session as JSON, JSON lines and Markdown", async () => {
  const sessions = createSessions({ adapters: agentsWithSessions, ...homeWithSessions() });
  expect(JSON.parse(await sessions.export(FIRST, "json"))).toEqual(await sessions.get(FIRST));
  const lines = (await sessions.export(FIRST, "jsonl"))
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect(lines.map(({ type }) => type)).toEqual(["session", ...Array(6).fill("message")]);
  const markdown = await sessions.export(FIRST, "markdown");
  expect(markdown).toContain("# Do the thing\n");
  expect(markdown).toContain("## User\n\nAnd again\n");
  expect(markdown).toContain("Result:\n\n```\nout\nmore\n```");
  await expect(sessions.export(FIRST, "pdf" as "json")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

it("makes Markdown fences longer than those in the messages", async () => {
  const home = privateHome({
    ".claude/projects/p/s.jsonl":
      prompt("Look") +
      prompt("", { message: { content: [{ type: "tool_result", tool_use_id: "1", content: "````\nx" }] } }),
  });
  const markdown = await createSessions({ adapters: [claude], ...home }).export("s", "markdown");
  expect(markdown).toContain("`````\n````\nx\n`````");
});

it("rejects agents without readable sessions, and unknown agents", async () => {
  const sessions = createSessions({ adapters: [...agentsWithSessions, acp], ...privateHome() });
  await expect(sessions.list("acp")).rejects.toMatchObject({ code: "CAPABILITY_ERROR", capability: "sessions" });
  await expect(sessions.list("nobody")).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  expect(await sessions.list()).toEqual([]);
  expect(await sessions.list("claude")).toEqual([]);
});

it("does not count commands to the agent as prompts", async () => {
  const home = privateHome({
    ".claude/projects/p/s.jsonl":
      prompt("<command-name>/clear</command-name>") + prompt("Caveat", { isMeta: true }) + prompt("Meant"),
  });
  const sessions = createSessions({ adapters: [claude], ...home });
  expect(await sessions.list()).toMatchObject([{ title: "Meant" }]);
  expect((await sessions.get("s")).messages.map(({ role }) => role)).toEqual(["system", "system", "user"]);
});

it("looks in the folder that the agent's own variables name", async () => {
  const home = privateHome({ "moved/projects/p/s.jsonl": prompt("Here") });
  const env = { HOME: home.home, CLAUDE_CONFIG_DIR: home.at("moved") };
  expect(await createSessions({ adapters: [claude], ...home, env }).list()).toMatchObject([{ title: "Here" }]);
});

it("notes lines that cannot be read, and reads the rest", async () => {
  const home = privateHome({
    ".claude/projects/p/damaged.jsonl": `not json\n${prompt("Still here")}[]\n"text"\nnull\n{"type":"user","mess`,
    ".claude/projects/p/nonsense.jsonl": new Uint8Array([0xff, 0xfe, 0x00, 0x0a, 0x80, 0x0a]),
    ".claude/projects/p/empty.jsonl": "",
    ".claude/projects/p/silent.jsonl": line({ type: "mode", mode: "default" }),
    ".claude/projects/p/odd.jsonl":
      line({ type: "user", message: { content: [null, 7, { type: 3 }] } }) + prompt("Odd"),
    ".claude/projects/p/strange.jsonl": line({ type: "__proto__" }) + line({ type: "constructor" }) + prompt("Strange"),
    ".gemini/tmp/p/chats/session-2026-11-15T01-13-a470d683.jsonl": "{}{}\n",
  });
  const sessions = createSessions({ adapters: [claude, gemini], ...home });
  const listed = await sessions.list();
  expect(listed.map(({ nativeId }) => nativeId).sort()).toEqual([
    ...["a470d683", "damaged", "nonsense", "odd", "strange"],
  ]);
  const damaged = await sessions.get("damaged");
  expect(damaged.messages).toMatchObject([{ role: "user", text: "Still here" }]);
  expect(damaged.notes).toEqual(["4 of its lines could not be read."]);
  expect((await sessions.totalCost()).notes?.length).toBe(3);
});

onPosix("notes a file without read permission", async () => {
  const home = privateHome();
  mkdirSync(home.at(".claude/projects/p"), { recursive: true });
  writeFileSync(home.at(".claude/projects/p/locked.jsonl"), prompt("Secret"), { mode: 0 });
  const sessions = createSessions({ adapters: [claude], ...home });
  const [locked] = await sessions.list();
  // Root may read every file.
  if (process.getuid?.() !== 0) expect(locked?.notes).toEqual(["It could not be read: EACCES."]);
});

onPosix("does not follow links inside the agent's folder, but follows a link to that folder", async () => {
  const home = privateHome({
    "elsewhere/secret.jsonl": prompt("Secret"),
    "dotfiles/projects/p/mine.jsonl": prompt("Mine"),
  });
  symlinkSync(home.at("dotfiles"), home.at(".claude"));
  symlinkSync(home.at("elsewhere"), home.at("dotfiles/projects/out"));
  symlinkSync(home.at("elsewhere/secret.jsonl"), home.at("dotfiles/projects/p/secret.jsonl"));
  expect(await createSessions({ adapters: [claude], ...home }).list()).toMatchObject([{ title: "Mine" }]);
});

it("never writes to the agents' files", async () => {
  const home = homeWithSessions();
  const state = () =>
    readdirSync(home.home, { recursive: true, encoding: "utf8" }).map((name) => {
      const { mtimeMs, size } = statSync(path.join(home.home, name));
      return `${name} ${mtimeMs} ${size}`;
    });
  const before = state();
  const sessions = createSessions({ adapters: agentsWithSessions, ...home });
  for (const { id } of await sessions.list()) await sessions.export(id, "markdown");
  await sessions.search("remember");
  await sessions.totalCost();
  expect(state()).toEqual(before);
});

it("reads only the beginning of a large session for a list", async () => {
  const large = prompt("Begin") + prompt("x".repeat(10_000)).repeat(2000);
  const home = privateHome({ ".claude/projects/p/large.jsonl": `${large}not json\n` });
  const sessions = createSessions({ adapters: [claude], ...home });
  expect(await sessions.list()).toMatchObject([{ title: "Begin", sizeBytes: large.length + 9 }]);
  expect((await sessions.list())[0]?.notes).toBeUndefined();
  const { messages, notes } = await sessions.get("large");
  expect(messages).toHaveLength(2001);
  expect(notes).toHaveLength(1);
});

it("reads a session again after it has grown", async () => {
  const home = privateHome({ ".claude/projects/p/s.jsonl": line({ type: "mode" }) });
  const sessions = createSessions({ adapters: [claude], ...home });
  expect(await sessions.list()).toEqual([]);
  appendFileSync(home.at(".claude/projects/p/s.jsonl"), prompt("Hello"));
  expect(await sessions.list()).toMatchObject([{ title: "Hello" }]);
});

it("watches sessions being added, changed and removed", async () => {
  const home = homeWithSessions([claude]);
  const stop = new AbortController();
  const sessions = createSessions({ adapters: [claude], ...home });
  const fileOf = (name: string) => home.at(`${projects}/${name}.jsonl`);
  // Sessions found at the first look are not reported, so new ones are written until one is reported.
  let made = 0;
  const making = setInterval(() => writeFileSync(fileOf(`new-${made++}`), prompt("New")), 100);
  const kinds: string[] = [];
  let name = "";
  for await (const { kind, session } of sessions.watch({ agent: "claude", signal: stop.signal, intervalMs: 50 })) {
    clearInterval(making);
    name ||= session.nativeId;
    if (session.nativeId !== name) continue;
    kinds.push(kind);
    if (kind === "added") appendFileSync(fileOf(name), prompt("Again"));
    if (kind === "changed") rmSync(fileOf(name), { force: true });
    if (kind === "removed") stop.abort();
  }
  expect([...new Set(kinds)]).toEqual(["added", "changed", "removed"]);
});
