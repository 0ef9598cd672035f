import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Client, connect, type Message, newId } from "./seed-client.ts";
import { type Served, serveAcolyte } from "./served.ts";

let served: Served;
const clients: Client[] = [];

beforeAll(async () => {
  served = await serveAcolyte();
}, 60_000);
afterAll(() => served?.remove());
afterEach(() => {
  const broken = clients.flatMap(({ violations }) => violations);
  for (const client of clients.splice(0)) client.close();
  expect(broken).toEqual([]);
});

async function open(): Promise<Client> {
  const client = await served.connect();
  clients.push(client);
  return client;
}

const types = (messages: readonly Message[]) => messages.map(({ type }) => type);
const hasText = ({ type, event }: Message) => type === "chat.event" && (event as Message).type === "text-delta";
const runOf = async (runId: unknown) => (await served.get(`/v1/runs/${runId}`)).data as Record<string, unknown>;
const timeout = 60_000;

describe("a connection", () => {
  it("is opened by the key in its subprotocol, which is echoed, and by no other key", async () => {
    expect((await open()).protocol).toBe(`bearer.${served.token}`);
    await expect(connect(served.url, "a-wrong-key")).rejects.toThrow("refused");
  });

  it("begins with a handshake that tells version and capabilities", async () => {
    const status = await (await open()).status();
    expect(status).toMatchObject({ ok: true, protocol_version: "1", service: "spoor" });
    expect(String(status.capabilities).split(", ")).toContain("error.structured");
    expect(await served.get("/v1/status")).toMatchObject({ ok: true, protocol_version: "1" });
  });
});

describe("a chat", () => {
  it("streams its events in order and ends with one reply", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("hello"));
    const { reply } = await chat.ended;
    expect(reply).toMatchObject({ output: "Heard hello.", outputStreamed: true, model: expect.any(String) });
    expect((reply as Message).usage).toMatchObject({ totalTokens: expect.any(Number) });
    expect(chat.text).toBe("Heard hello.");
    expect(types(chat.messages).slice(0, 2)).toEqual(["chat.accepted", "chat.started"]);
    expect(types(chat.messages).at(-1)).toBe("chat.done");
    expect(await client.taskStatus(chat.taskId)).toMatchObject({ id: chat.taskId, state: "completed" });
  });

  it("is accepted with the request in the payload, and with the request as a field of it", { timeout }, async () => {
    const client = await open();
    const chat = client.start({ ...served.ask("wrapped"), unknown: true }, { wrap: true });
    expect((await chat.ended).type).toBe("chat.done");
  });

  it("shows calls, and says how to answer an approval, so that it does not hang silently", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("ask", { options: { approve: "ask" } }));
    const { event } = await chat.until(
      (message) => message.type === "chat.event" && (message.event as Message).approval !== undefined,
    );
    const { approval, message } = event as { approval: Record<string, unknown>; message: string };
    expect(message).toContain("spoor approve");
    const { path: target, body } = approval.answer as { path: string; body: object };
    expect((await served.post(target, body)).status).toBe(200);
    expect((await chat.ended).type).toBe("chat.done");
    const kinds = chat.events.map(({ type }) => type);
    expect(kinds.indexOf("tool-call")).toBeLessThan(kinds.indexOf("tool-result"));
    expect(chat.text).toContain("allowed");
  });

  it("ends with a structured error if the agent crashes", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("soon hang"));
    await chat.until(hasText);
    const [agent] = JSON.parse(readFileSync(path.join(served.workspace, "pids"), "utf8")) as [number];
    process.kill(agent, "SIGKILL");
    const end = await chat.ended;
    expect(end).toMatchObject({
      type: "chat.error",
      errorId: expect.stringMatching(/^err_/),
      errorMessage: expect.any(String),
      errorCode: "E_AGENT_CRASH",
      error: { code: "E_AGENT_CRASH", category: "run" },
    });
    expect(chat.events.at(-1)).toMatchObject({ type: "error", errorId: end.errorId });
  });

  it("ends with an error if the agent cannot be started", { timeout }, async () => {
    const client = await open();
    const chat = client.start({ message: "hello", options: { agent: "nobody" } });
    expect(await chat.ended).toMatchObject({ type: "chat.error", errorCode: "E_REFUSED" });
    const next = client.start(served.ask("after"));
    expect((await next.ended).type).toBe("chat.done");
  });
});

describe("the queue", () => {
  it("runs one chat at a time, and tells positions whenever they change", { timeout }, async () => {
    const client = await open();
    const [first, second, third, fourth] = ["hang", "two", "three", "four"].map((word) =>
      client.start(served.ask(word)),
    );
    if (!first || !second || !third || !fourth) throw new Error("unreachable");
    await expect.poll(() => fourth.positions).toEqual([3]);
    expect(await client.status()).toMatchObject({ rpc_queue_length: 3 });
    expect(await client.taskStatus(third.taskId)).toMatchObject({ state: "queued" });
    expect(await client.abort(second.id)).toBe(true);
    expect(await second.ended).toMatchObject({ type: "chat.error", errorCode: "E_ABORTED" });
    await expect
      .poll(() => [third.positions, fourth.positions])
      .toEqual([
        [2, 1],
        [3, 2],
      ]);
    expect(await client.abort(first.id)).toBe(true);
    expect((await first.ended).type).toBe("chat.error");
    expect((await third.ended).type).toBe("chat.done");
    expect((await fourth.ended).type).toBe("chat.done");
    expect(fourth.positions).toEqual([3, 2, 1]);
    const started = client.messages.filter(({ type }) => type === "chat.started").map(({ id }) => id);
    expect(started).toEqual([first.id, third.id, fourth.id]);
    // The one before has ended when the next one starts.
    const order = client.messages.filter(({ id, type }) =>
      id === third.id ? type === "chat.started" : type === "chat.error",
    );
    expect(order.map(({ id }) => id)).toEqual([second.id, first.id, third.id]);
  });

  it("refuses more than 25 waiting requests, and each refused one ends", { timeout }, async () => {
    const client = await open();
    const running = client.start(served.ask("hang"));
    const waiting = Array.from({ length: 25 }, () => client.start(served.ask("never")));
    const refused = Array.from({ length: 200 }, () => client.start(served.ask("never")));
    for (const chat of refused)
      expect(await chat.ended).toMatchObject({ type: "chat.error", errorCode: "E_QUEUE_FULL" });
    expect(types(refused[0]?.messages ?? [])).toEqual(["chat.error"]);
    expect(waiting.at(-1)?.positions).toEqual([25]);
    for (const chat of [...waiting].reverse()) await client.abort(chat.id);
    await client.abort(running.id);
    for (const chat of [...waiting, running]) expect(await chat.ended).toMatchObject({ errorCode: "E_ABORTED" });
  });

  it("is one for each connection", { timeout }, async () => {
    const [one, two] = [await open(), await open()];
    const held = one.start(served.ask("here hang"));
    const other = two.start(served.ask("there"));
    expect((await other.ended).type).toBe("chat.done");
    expect(await two.abort(held.id)).toBe(false);
    expect(held.messages.some(({ type }) => type === "chat.error")).toBe(false);
    expect(await one.abort(held.id)).toBe(true);
    await held.ended;
  });
});

describe("an abort", () => {
  it("ends a running chat with one error, and its run is cancelled in the log", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("soon hang"));
    await chat.until(hasText);
    expect(await client.abort(chat.id)).toBe(true);
    const end = await chat.ended;
    expect(end).toMatchObject({ type: "chat.error", errorCode: "E_ABORTED" });
    const { id: _, ...fields } = end;
    expect(chat.messages.at(-2)?.event).toEqual({ ...fields, type: "error" });
    expect(await client.taskStatus(chat.taskId)).toMatchObject({ state: "cancelled" });
    expect(await client.abort(chat.id)).toBe(false);
  });

  it("ends a chat that has just been sent", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("hang"));
    expect(await client.abort(chat.id)).toBe(true);
    expect(await chat.ended).toMatchObject({ type: "chat.error", errorCode: "E_ABORTED" });
  });

  it("of a request that nobody made says so", async () => {
    const client = await open();
    expect(await client.abort(newId())).toBe(false);
    expect(await client.taskStatus("task_nobody")).toBe(null);
  });
});

describe("a session", () => {
  it("goes on under the name that the client chose, also after a restart of the server", {
    timeout: 90_000,
  }, async () => {
    const sessionId = "sess_mine_1";
    const before = await open();
    const first = before.start(served.ask("one", { sessionId, history: [{ role: "user", content: "zero" }] }));
    const { reply: one } = (await first.ended) as unknown as { reply: Record<string, string> };
    // The agent was told what was said before the session.
    expect(first.text).toContain("zero");
    expect(one.sessionId).toBe(sessionId);
    expect(await before.taskStatus(first.taskId)).toMatchObject({ sessionId });
    await served.restart();
    const after = await open();
    expect(await after.taskStatus(first.taskId)).toMatchObject({ state: "completed" });
    const second = after.start({ message: "two", sessionId });
    const { reply: two } = (await second.ended) as unknown as { reply: Record<string, string> };
    expect(two.output).toBe("Heard two.");
    const [earlier, later] = [await runOf(one.runId), await runOf(two.runId)];
    expect(later).toMatchObject({ task_id: earlier.task_id, prior_run_id: one.runId, agent: "claude" });
  });

  it("answers one request at a time, also on two connections", { timeout }, async () => {
    const [one, two] = [await open(), await open()];
    const held = one.start(served.ask("soon hang", { sessionId: "sess_shared" }));
    await held.until(hasText);
    const refused = two.start({ message: "me too", sessionId: "sess_shared" });
    expect(await refused.ended).toMatchObject({ errorCode: "E_REFUSED", error: { kind: "run_active" } });
    await one.abort(held.id);
    await held.ended;
  });

  it("gets an id from the server if the client has none", { timeout }, async () => {
    const client = await open();
    const first = client.start(served.ask("one"));
    const { sessionId } = await first.until(({ type }) => type === "chat.accepted");
    expect(sessionId).toMatch(/^sess_[a-z0-9]+$/);
    const second = client.start({ message: "two", sessionId });
    const { reply } = (await second.ended) as unknown as { reply: Record<string, unknown> };
    expect(reply).toMatchObject({ output: "Heard two.", sessionId });
  });
});

describe("a bad message", () => {
  it.each([
    ["broken JSON", "{", "rpc_unknown"],
    ["no object", "[]", "rpc_unknown"],
    ["no id", '{"type":"status.get"}', "rpc_unknown"],
    ["an id that is no text", '{"id":7,"type":"status.get"}', "rpc_unknown"],
    ["an unknown type", '{"id":"rpc_x","type":"chat.dance"}', "rpc_x"],
    ["a binary frame", new Uint8Array([1, 2, 3]), "rpc_unknown"],
    ["an abort of nothing", '{"id":"rpc_x","type":"chat.abort","payload":{}}', "rpc_x"],
    ["a task of a wrong type", '{"id":"rpc_x","type":"task.status","payload":{"taskId":7}}', "rpc_x"],
  ])("with %s is answered with an error, and the connection goes on", async (_, data, id) => {
    const client = await open();
    client.raw(data);
    const error = await client.until(({ type }) => type === "error");
    expect(error).toMatchObject({ id, error: expect.any(String), errorCode: "E_BAD_REQUEST" });
    expect(await client.status()).toMatchObject({ ok: true });
  });

  it.each([
    ["nothing", undefined],
    ["no message", {}],
    ["a message that is no text", { message: 7 }],
    ["an empty message", { message: " " }],
    ["a message that is too long", { message: "x".repeat(100_001) }],
    ["a history that is no list", { message: "x", history: "y" }],
    ["a history of wrong things", { message: "x", history: [{ role: "cook", content: 1 }] }],
    ["a session with a path", { message: "x", sessionId: "../../etc" }],
    ["options that are no object", { message: "x", options: [] }],
    ["an option of a wrong type", { message: "x", options: { max_turns: "many" } }],
    ["an unknown choice", { message: "x", options: { onClose: "dance" } }],
  ])("that starts a chat with %s ends the request", async (_, payload) => {
    const client = await open();
    const chat = client.start(payload);
    const end = await chat.ended;
    expect(end).toMatchObject({ type: "chat.error", errorCode: "E_BAD_REQUEST", errorId: expect.any(String) });
    expect(end.errorMessage).not.toBe("");
  });

  it("with the id of an earlier request is refused, and the earlier one goes on", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("one"));
    client.start(served.ask("two"), { id: chat.id });
    expect(await client.until(({ type }) => type === "error")).toMatchObject({ id: chat.id });
    expect((await chat.ended).type).toBe("chat.done");
    client.start(served.ask("three"), { id: chat.id });
    await expect.poll(() => client.messages.filter(({ type }) => type === "error").length).toBe(2);
    expect(types(chat.messages).filter((type) => type === "chat.done")).toHaveLength(1);
  });

  it("of 50 MB closes the connection, and open requests end before that", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("soon hang"));
    const queued = client.start(served.ask("never"));
    await chat.until(hasText);
    client.raw("x".repeat(50_000_000));
    for (const request of [chat, queued])
      expect(await request.ended).toMatchObject({ type: "chat.error", errorCode: "E_CONNECTION_CLOSED" });
    const refusal = { id: "rpc_unknown", errorCode: "E_BAD_REQUEST", error: expect.stringContaining("1 MiB") };
    expect(client.messages.find(({ type }) => type === "error")).toMatchObject(refusal);
    expect([1006, 1009]).toContain(await client.closed);
    expect(await (await open()).status()).toMatchObject({ ok: true });
  });

  it("comes in a flood, and every one is answered", { timeout }, async () => {
    const client = await open();
    for (let index = 0; index < 5_000; index += 1) client.raw(`{"id":"rpc_${index}","type":"dance"}`);
    await expect.poll(() => client.messages.length, { timeout: 30_000 }).toBe(5_000);
  });
});

describe("a connection that closes", () => {
  it("cancels its run, which stays in the log", { timeout }, async () => {
    const client = await open();
    const chat = client.start(served.ask("soon hang"));
    await chat.until(hasText);
    client.close();
    await client.closed;
    const again = await open();
    await expect.poll(async () => (await again.taskStatus(chat.taskId))?.state, { timeout: 20_000 }).toBe("cancelled");
  });

  it("lets its runs go on if the request says so, also those that waited", { timeout }, async () => {
    const client = await open();
    const options = { onClose: "continue" };
    const chat = client.start(served.ask("one", { options }));
    const waiting = client.start(served.ask("two", { options }));
    await chat.until(hasText);
    client.close();
    await client.closed;
    const again = await open();
    for (const { taskId } of [chat, waiting])
      await expect.poll(async () => (await again.taskStatus(taskId))?.state, { timeout: 30_000 }).toBe("completed");
  });
});

it("a server that stops ends every open request before it closes the connection", { timeout: 90_000 }, async () => {
  const client = await open();
  const [running, ...queued] = ["soon hang", "two", "three"].map((words) => client.start(served.ask(words)));
  await running?.until(hasText);
  const stopped = served.restart();
  for (const chat of [running, ...queued])
    expect(await chat?.ended).toMatchObject({ type: "chat.error", errorCode: "E_SHUTTING_DOWN" });
  expect(await client.closed).toBe(1001);
  await stopped;
  // The run is in the log.
  const again = await open();
  expect(await again.taskStatus(running?.taskId ?? "")).toMatchObject({ id: running?.taskId });
  expect(await again.taskStatus(queued[0]?.taskId ?? "")).toBe(null);
});
