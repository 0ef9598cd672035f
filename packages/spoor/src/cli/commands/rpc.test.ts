import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { allGone } from "../../../testing/process/pids.ts";
import { eventsOf, expectOrderOfZot, typesOf } from "../../../testing/zot/client.ts";
import { commanded, openZotPlace } from "../../../testing/zot/place.ts";

/** The tests mostly wait for processes, so they run at once. */
const TIMEOUT = { timeout: 120_000 };

it.concurrent(
  "tells a run of the loop as zot does, and `spoor parse zot` reads the same from it",
  TIMEOUT,
  async (context) => {
    const { rpc, spoor, home } = openZotPlace(context);
    const client = rpc("loop", "--model", "demo/tour", "--approve", "auto");
    expect(await client.call("hello")).toMatchObject({
      data: { protocol_version: 1, provider: "demo", model: "tour", version: expect.any(String) },
      success: true,
    });
    expect(await client.call("prompt", { message: "Write a greeting." })).toEqual({
      ...{ command: "prompt", data: { started: true }, id: "2", success: true, type: "response" },
    });
    const events = await client.done(1);
    expectOrderOfZot(events);
    expect(events[0]).toMatchObject({ type: "user_message", content: [{ type: "text", text: "Write a greeting." }] });
    expect(new Set(typesOf(events))).toEqual(
      new Set([
        ...["user_message", "turn_start", "assistant_start", "text_delta", "tool_use_start", "tool_use_args", "done"],
        ...["tool_use_end", "usage", "assistant_message", "tool_call", "turn_end", "tool_progress", "tool_result"],
      ]),
    );
    const { messages } = (await client.call("get_messages")).data as {
      messages: { role: string; content: object[] }[];
    };
    const { data: state } = await client.call("get_state");
    expect(state).toMatchObject({ busy: false, message_count: messages.length, usage: { input: expect.any(Number) } });
    expect([...new Set(messages.map(({ role }) => role))]).toEqual(["user", "assistant", "tool"]);
    expect((await client.close()).code).toBe(0);

    const file = path.join(home, "out.jsonl");
    writeFileSync(file, client.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const back = (await spoor(["parse", "zot", file])).stdout;
    const stored = (await spoor(["events", "last", "--agent-events"])).stdout;
    expect(toldIn(back)).toEqual(toldIn(stored));
  },
);

it.concurrent(
  "continues a conversation, keeps prompts waiting, and aborts the one that runs",
  TIMEOUT,
  async (context) => {
    const { rpc, pids, runs: listed } = openZotPlace(context);
    const client = rpc(...commanded, "--approve", "auto");
    await client.call("prompt", { message: "one" });
    await client.done(1);
    const first = (await client.call("get_state")).data as Record<string, unknown>;
    expect(first).toMatchObject({ agent: "claude", busy: false, message_count: 2, provider: "claude" });

    const hanging = client.send("prompt", { message: "two hang" });
    const waiting = client.send("prompt", { message: "three" });
    await client.until(() => eventsOf(client.lines).find(({ delta }) => delta === "Heard two."));
    expect((await client.call("get_state")).data).toMatchObject({ busy: true, task_id: first.task_id });
    // A prompt is answered when it starts.
    expect(client.lines.some(({ id }) => id === waiting)).toBe(false);
    expect(await client.response(hanging)).toMatchObject({ success: true });
    for (const command of ["clear", "set_model"]) {
      expect(await client.call(command, { model: "opus" })).toMatchObject({
        success: false,
        error: expect.stringMatching(/agent is busy/),
      });
    }
    const processes = pids();
    expect(await client.call("abort")).toEqual({ command: "abort", id: "8", success: true, type: "response" });
    const events = await client.done(3);
    await allGone(processes);
    expect(await client.response(waiting)).toMatchObject({ success: true });
    const [, aborted = [], last = []] = promptsIn(events);
    expect(typesOf(aborted).slice(-2)).toEqual(["turn_end", "done"]);
    expect(aborted.at(-2)).toMatchObject({ stop: "aborted" });
    expect(typesOf(aborted)).not.toContain("error");
    expect(last.find(({ type }) => type === "assistant_message")).toMatchObject({
      content: [{ text: "Heard three." }],
    });
    for (const prompt of promptsIn(events)) expectOrderOfZot(prompt);

    expect(await client.call("clear")).toMatchObject({ success: true });
    expect(await client.call("set_model", { model: "opus" })).toMatchObject({ success: true, data: { model: "opus" } });
    expect((await client.call("get_messages")).data).toEqual({ messages: [] });
    expect(await client.call("compact")).toMatchObject({
      success: false,
      error: expect.stringMatching(/nothing to compact/),
    });
    const { models } = (await client.call("get_models")).data as { models: object[] };
    expect(models).toContainEqual(
      expect.objectContaining({ provider: "anthropic", context_window: expect.any(Number) }),
    );
    await client.call("prompt", { message: "four" });
    // The input may be closed before the prompt is done.
    expect((await client.close()).code).toBe(0);
    expect(eventsOf(client.lines).at(-1)).toEqual({ type: "done" });
    const runs = await listed();
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed", "cancelled", "completed"]);
    expect(runs.map(({ task_id }) => task_id === first.task_id)).toEqual([false, true, true, true]);
  },
);

it.concurrent(
  "compacts a conversation: the next one begins with what the agent summed up",
  TIMEOUT,
  async (context) => {
    const { rpc, runs } = openZotPlace(context);
    const client = rpc(...commanded);
    await client.call("prompt", { message: "one" });
    await client.done(1);
    expect(await client.call("compact")).toMatchObject({ success: true, data: { started: true } });
    const compacted = await client.until(() => client.lines.find(({ type }) => type === "compact_done"));
    expect(compacted).toEqual({ summary: "Heard alone..", type: "compact_done" });
    const { messages } = (await client.call("get_messages")).data as { messages: object[] };
    expect(messages).toMatchObject([{ role: "assistant", content: [{ text: "Heard alone.." }] }]);

    await client.call("prompt", { message: "after" });
    await client.done(2);
    // The client sees what it asked; the agent was told the summary as well.
    const asked = eventsOf(client.lines).filter(({ type }) => type === "user_message");
    expect(asked).toMatchObject([{ content: [{ text: "one" }] }, { content: [{ text: "after" }] }]);
    expect(eventsOf(client.lines).some(({ delta }) => String(delta).includes("alone..\n"))).toBe(true);
    const [last, summing, first] = await runs();
    expect([summing?.task_id === first?.task_id, last?.task_id === first?.task_id]).toEqual([true, false]);
    expect((await client.close()).code).toBe(0);
  },
);

it.concurrent("answers everything that is no command with a reason, and goes on", TIMEOUT, async (context) => {
  const { rpc } = openZotPlace(context);
  const client = rpc(...commanded);
  client.raw('nonsense\n\n[1]\n{"id":"x"}\n');
  client.raw(`{"id":"long","type":"prompt","message":"${"a".repeat(17 * 1024 * 1024)}"}\n`);
  expect(await client.call("ping")).toMatchObject({ success: true, data: { pong: true } });
  for (const command of ["dance", "__proto__", "constructor", "toString"]) {
    expect(await client.call(command)).toMatchObject({
      command,
      success: false,
      error: expect.stringMatching(/^unknown command/),
    });
  }
  expect(await client.call("prompt")).toMatchObject({
    success: false,
    error: expect.stringMatching(/message is missing/),
  });
  const images = [{ mime_type: "image/png", data: "iVBORw==" }];
  expect(await client.call("prompt", { message: "look", images })).toMatchObject({
    success: false,
    error: expect.stringMatching(/images/),
  });
  expect(await client.call("abort")).toMatchObject({ success: true });
  expect(client.lines.filter(({ id }) => id === undefined).map(({ error }) => error)).toEqual([
    expect.stringContaining("malformed json"),
    expect.stringContaining("malformed json"),
    expect.stringContaining("longer than 16777216 bytes"),
  ]);
  expect(client.lines.find(({ id }) => id === "x")).toMatchObject({ command: "", success: false });
  // Bytes that are no text are replaced, and a line may come in any pieces.
  for (const byte of Buffer.from('{"id":"é","type":"ping"}\r\n')) {
    client.raw(Uint8Array.of(byte));
    await new Promise(setImmediate);
  }
  expect(await client.response("é")).toMatchObject({ success: true });
  client.raw(Buffer.concat([Buffer.from('{"id":"bytes","type":"'), Buffer.of(0xff, 0xc3), Buffer.from('"}\n\0\n')]));
  expect(await client.response("bytes")).toMatchObject({ command: "\ufffd\ufffd", success: false });
  client.raw('{"id":"cut","type":"pi');
  expect((await client.close()).code).toBe(0);
  const last = client.lines.slice(-2);
  expect(last.map(({ error }) => error)).toEqual([expect.any(String), expect.any(String)]);
});

it.concurrent("lets only clients in that know the token, and keeps it from the agent", TIMEOUT, async (context) => {
  const { rpc, cwd } = openZotPlace(context, { ZOTCORE_RPC_TOKEN: "sesame" });
  const wrong = rpc(...commanded);
  expect(await wrong.call("ping")).toMatchObject({ success: false, error: expect.stringMatching(/auth required/) });
  expect(await wrong.call("hello", { token: "open" })).toMatchObject({ success: false, error: "invalid token" });
  expect((await wrong.ended)[0]).toBe(1);
  const agent = path.join(cwd, "agent.mjs");
  writeFileSync(agent, `import fs from "node:fs"; fs.writeFileSync("env", JSON.stringify(process.env));`);
  const right = rpc("claude", "--command", `"${process.execPath}" "${agent}"`);
  expect(await right.call("hello", { token: "sesame" })).toMatchObject({ success: true });
  await right.call("prompt", { message: "hello" });
  const events = await right.done(1);
  // The program is no agent, so the prompt fails, and is told to the end.
  expect(typesOf(events).slice(-2)).toEqual(["error", "done"]);
  expect(readFileSync(path.join(cwd, "env"), "utf8")).not.toContain("sesame");
  expect((await right.close()).code).toBe(0);
});

it.concurrent("waits for permission, and says on standard error how to give it", TIMEOUT, async (context) => {
  const { rpc, spoor } = openZotPlace(context);
  const client = rpc(...commanded, "--approve", "ask");
  await client.call("prompt", { message: "ask" });
  const [, id = ""] = await client.until(() => /spoor approve (appr_\w+)/.exec(client.errors()) ?? undefined);
  await client.until(() => client.lines.find(({ type }) => type === "ext_notify"));
  await spoor(["approve", id]);
  const events = await client.done(1);
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ is_error: false });
  expectOrderOfZot(events);
  expect((await client.close()).code).toBe(0);
});

it.concurrent("ends the prompt that runs at Ctrl-C, and leaves nothing behind", TIMEOUT, async (context) => {
  const { rpc, pids, spoor } = openZotPlace(context);
  const client = rpc(...commanded, "--approve", "auto");
  client.send("prompt", { message: "one hang" });
  const waiting = client.send("prompt", { message: "two" });
  await client.until(() => client.lines.find(({ delta }) => delta === "Heard one."));
  const processes = pids();
  client.kill("SIGINT");
  expect((await client.ended)[0]).toBe(130);
  expectOrderOfZot(eventsOf(client.lines));
  expect(eventsOf(client.lines).at(-2)).toEqual({ stop: "aborted", type: "turn_end" });
  expect(await client.response(waiting)).toMatchObject({ success: false, error: expect.stringMatching(/stopping/) });
  await allGone(processes);
  expect((await spoor(["ls", "--json"])).stdout).toContain('"status":"cancelled"');
});

it.concurrent("ends the prompt that runs when its client is gone", TIMEOUT, async (context) => {
  const { rpc, pids, spoor } = openZotPlace(context);
  const client = rpc(...commanded, "--approve", "ask");
  client.send("prompt", { message: "ask hang" });
  const [, id = ""] = await client.until(() => /spoor approve (appr_\w+)/.exec(client.errors()) ?? undefined);
  const processes = pids();
  client.hangUp();
  // What the agent says next cannot be told to anybody.
  await spoor(["approve", id]);
  await client.ended;
  await allGone(processes);
  expect((await spoor(["ls", "--json"])).stdout).toContain('"status":"cancelled"');
});

it.concurrent(
  "refuses to start without a model for the loop, with an unknown agent or in no folder",
  TIMEOUT,
  async (context) => {
    const { spoor } = openZotPlace(context);
    expect(await spoor(["rpc"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("model is missing"),
    });
    expect(await spoor(["rpc", "cloude"])).toMatchObject({ code: 3, stdout: "" });
    expect(await spoor(["rpc", "claude", "--cwd", "nowhere"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--cwd must be a folder that exists"),
    });
  },
);

/** The events of each prompt. */
function promptsIn(events: ReturnType<typeof eventsOf>) {
  const ends = events.flatMap(({ type }, index) => (type === "done" ? [index + 1] : []));
  return ends.map((end, index) => events.slice(ends[index - 1] ?? 0, end));
}

/** What AgentEvents tell that zot can tell, too. */
function toldIn(output: string) {
  const events = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const of = (type: string, ...names: string[]) =>
    events.filter((event) => event.type === type).map((event) => names.map((name) => event[name]));
  return {
    texts: of("text_delta", "delta").flat().join(""),
    calls: of("tool_call_ready", "toolCallId", "toolName", "input"),
    results: of("tool_result", "toolCallId", "output"),
    errors: of("tool_error", "toolCallId", "error"),
    turns: of("turn_start").length,
    cost: of("cost", "cost").at(-1)?.[0]?.totalUsd,
    end: events.at(-1).type,
  };
}
