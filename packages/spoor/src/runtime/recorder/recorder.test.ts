import type { AgentEvent } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { newRunId, recordedRun, shortRun, sourceOf } from "../../../testing/runtime/recorded-run.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { recordRun } from "../record-run.ts";
import { Recorder } from "./recorder.ts";

const secret = "sk-ant-api03-q8Zr2Lm5Xc7Vb9Nn1Kp4";
const request = { prompt: "First line\nsecond", cwd: "/home/dev/app", approve: "ask" } as const;
const start = (runId: string) => ({ runId, agent: "claude", dialect: "stream-json", stream: "auto" as const, request });

describe("a recorded run", () => {
  it("has its opening, prompt, events and one end, and a row with its status", async () => {
    const { log } = temporaryLog();
    const runId = newRunId();
    const recorder = new Recorder({ log });
    void recorder.onStart({
      ...start(runId),
      request: { ...request, attachments: [{ name: "a.png", mimeType: "image/png", url: "x:y" }] },
    });
    const events = shortRun(
      (script) => script.emit("cost", { cost: { totalUsd: 0.25, inputTokens: 1, outputTokens: 2 } }),
      { runId, startAt: Date.now() },
    );
    const { run_ids } = await recordRun(sourceOf(events), recorder);
    const [run_id] = run_ids as [string];
    const envelopes = await envelopesOf(log, run_id);
    expect(envelopes.map(({ type }) => type)).toEqual([
      "run.created",
      "run.started",
      "user.message",
      "user.attachment",
      "session.started",
      "turn.started",
      "assistant.message_started",
      "assistant.text_delta",
      "assistant.text_delta",
      "assistant.text_complete",
      "cost.tick",
      "assistant.final_answer",
      "turn.completed",
      "session.ended",
      "run.finished",
    ]);
    expect(envelopes[2]?.data).toEqual({ turn_index: 0, text: request.prompt, via: "prompt" });
    expect(envelopes.at(-1)?.data).toMatchObject({ turns: 1, cost_micros_usd: 250_000 });
    expect(await findingsOf(log, run_ids)).toEqual([]);
    expect(await log.run(run_id)).toMatchObject({
      status: "completed",
      title: "First line",
      model: "m-1",
      turns: 1,
      cost_micros_usd: 250_000,
      workspace_path: request.cwd,
      native_session_id: "5f2c1c1e-0000-4000-8000-000000000001",
      has_tape: true,
    });
  });

  it("contains the user's input in the turn in which it was given", async () => {
    const { log } = temporaryLog();
    const runId = newRunId();
    const recorder = new Recorder({ log });
    void recorder.onStart(start(runId));
    const events = shortRun(() => {}, { runId, startAt: Date.now() });
    for (const event of events) {
      recorder.add(event);
      if (event.type === "turn_start") recorder.onUserInput({ via: "steer", text: "Left" });
    }
    recorder.onUserInput({ via: "send", text: "Too late" });
    const { run_ids } = await recorder.close();
    const envelopes = await envelopesOf(log, run_ids[0] as string);
    expect(envelopes.filter(({ type }) => type === "user.message").map(({ data }) => data)).toEqual([
      { turn_index: 0, text: request.prompt, via: "prompt" },
      { turn_index: 1, text: "Left", via: "steer" },
    ]);
    expect(envelopes.at(-1)).toMatchObject({
      type: "debug.message",
      data: { message: "Said after the end: Too late" },
    });
    expect(await findingsOf(log, run_ids)).toEqual([]);
  });

  it("has status awaiting_approval while a question is open, and running when it is answered", async () => {
    const { log } = temporaryLog();
    const recorder = new Recorder({ log });
    const interactionId = `appr_${newRunId()}`;
    const events = shortRun((script) =>
      script
        .emit("approval_request", { interactionId, action: "Run", detail: "ls", riskLevel: "high" })
        .emit("approval_granted", { interactionId }),
    );
    const states: unknown[] = [];
    for (const event of events) {
      recorder.add(event);
      if (!event.type.startsWith("approval")) continue;
      await flushed(log, event.type === "approval_request" ? "approval.requested" : "approval.resolved", event.runId);
      states.push((await log.run(`run_${event.runId}`))?.status);
    }
    await recorder.close();
    expect(states).toEqual(["awaiting_approval", "running"]);
  });

  it("of a subagent is a separate run of the same task", async () => {
    const { log } = temporaryLog();
    const parent = newRunId();
    const child = newRunId();
    const own = shortRun(() => {}, { runId: parent });
    const others = shortRun(() => {}, { runId: child }).map((event) =>
      event.type === "session_start" ? { ...event, parentRunId: parent } : event,
    );
    const mixed = own.flatMap((event, index) => [event, ...others.slice(index, index + 1)]);
    const { run_ids } = await recordRun(sourceOf(mixed), new Recorder({ log }));
    expect(run_ids).toEqual([`run_${parent}`, `run_${child}`]);
    expect(await findingsOf(log, run_ids)).toEqual([]);
    const [first, second] = await Promise.all(run_ids.map((run_id) => log.run(run_id)));
    expect(second).toMatchObject({ parent_run_id: `run_${parent}`, task_id: first?.task_id });
  });

  it("that continues another has run.resumed_from_event right after run.created", async () => {
    const { log } = temporaryLog();
    const earlier = await recordedRun(log);
    const native = (await log.run(earlier))?.native_session_id as string;
    const runId = newRunId();
    const recorder = new Recorder({ log });
    void recorder.onStart({ ...start(runId), request: { ...request, resume: native } });
    recorder.onLine({ from: "stdout", text: "{}" });
    const { run_ids } = await recordRun(sourceOf(shortRun(() => {}, { runId, startAt: Date.now() })), recorder);
    const [created, resumed, started] = await envelopesOf(log, run_ids[0] as string);
    expect(created?.data).toMatchObject({ prior_run_id: earlier });
    expect(resumed).toMatchObject({ type: "run.resumed_from_event", data: { from_run_id: earlier, reason: "resume" } });
    expect(resumed?.data).toMatchObject({ from_step_id: "turn-1" });
    expect(started?.data).toMatchObject({ resume_from_run_id: earlier, resume_from_step_id: "turn-1" });
    expect(await findingsOf(log, run_ids)).toEqual([]);
    const [one, two] = [await log.run(earlier), await log.run(run_ids[0] as string)];
    expect(two).toMatchObject({ prior_run_id: earlier, session_id: one?.session_id, task_id: one?.task_id });
  });

  it("links the next run of the same process to it", async () => {
    const { log } = temporaryLog();
    const first = shortRun();
    const second = shortRun().map((event) => (event.type === "session_start" ? { ...event, resumed: true } : event));
    const { run_ids } = await recordRun(sourceOf([...first, ...second]), new Recorder({ log }));
    const [, resumed] = await envelopesOf(log, run_ids[1] as string);
    expect(resumed?.data).toMatchObject({ from_run_id: run_ids[0], reason: "continue" });
    expect(await findingsOf(log, run_ids)).toEqual([]);
  });

  it("whose events stop in the middle is closed as failed", async () => {
    const { log } = temporaryLog();
    const events = shortRun((script) =>
      script
        .thinking("hm")
        .emit("subagent_spawn", { subagentId: "s", agentName: "helper", prompt: "go" })
        .tool({ id: "t", name: "Bash", kind: "shell", input: {} })
        .shell("t", "ls", { stdout: "a" })
        .result("t", "Bash", "a"),
    );
    for (let length = 0; length < events.length; length++) {
      const part = events
        .slice(0, length)
        .map((event) => ({ ...event, runId: `01K9ZC0000SP00R${String(length).padStart(11, "0")}` }));
      const recorder = new Recorder({ log, record_thinking: true, record_tool_input: true });
      const { run_ids } = await recordRun(sourceOf(part), recorder);
      expect(run_ids).toHaveLength(length === 0 ? 0 : 1);
      if (length === 0) continue;
      expect(await findingsOf(log, run_ids), `${length} ${part.at(-1)?.type}`).toEqual([]);
      expect(await log.run(run_ids[0] as string)).toMatchObject({ status: "failed", error_code: "incomplete" });
    }
  });
});

describe("a recorder that was closed", () => {
  it("writes what was waiting, and accepts nothing more", async () => {
    const { log } = temporaryLog();
    await recordedRun(log);
    const resumed = shortRun().map((event) => (event.type === "session_start" ? { ...event, resumed: true } : event));
    const recorder = new Recorder({ log });
    for (const event of resumed) recorder.add(event);
    const { run_ids } = await recorder.close();
    expect(await findingsOf(log, run_ids)).toEqual([]);
    void recorder.onStart(start(newRunId()));
    for (const event of shortRun()) recorder.add(event);
    expect((await recorder.close()).run_ids).toEqual(run_ids);
    expect((await log.runs()).runs).toHaveLength(2);
  });
});

describe("secrets", () => {
  it("reach neither log nor tape, whatever carries them", async () => {
    const { log } = temporaryLog();
    const runId = newRunId();
    const recorder = new Recorder({ log, secrets: [{ name: "db", value: "hunter2-hunter2" }] });
    const env = { API_TOKEN: "very-private-token", MODE: "development" };
    const mcpServers = [{ name: "m", command: "x", env }];
    const environment = { SOME_API_KEY: "known-by-its-name", SSH_AUTH_SOCK: "/run/agent.sock" };
    void recorder.onStart({
      ...start(runId),
      request: { ...request, prompt: `Use ${secret}`, mcpServers },
      environment,
    });
    recorder.onLine({ from: "stdin", text: '{"key":"known-by-its-name","at":"/run/agent.sock"}' });
    recorder.onLine({ from: "stdin", text: JSON.stringify({ prompt: `hunter2-hunter2 ${secret}` }) });
    recorder.onLine({ from: "stderr", text: `not json ${secret}` });
    recorder.onUserInput({ via: "send", text: `and ${secret} with very-private-token in development` });
    const events = shortRun(
      (script) => script.emit("debug", { level: "info", message: JSON.stringify({ a: secret }) }),
      { runId },
    );
    await recordRun(sourceOf(events), recorder);
    const run_id = `run_${runId}`;
    const envelopes = await envelopesOf(log, run_id);
    const stored = JSON.stringify([envelopes, await log.run(run_id), await tapeOf(log, run_id)]);
    for (const word of [secret, "hunter2-hunter2", "very-private-token", "known-by-its-name"])
      expect(stored).not.toContain(word);
    for (const word of ["development", "/run/agent.sock"]) expect(stored).toContain(word);
    expect(envelopes.find(({ type }) => type === "user.message")?.data).toEqual({
      turn_index: 0,
      text: "Use [redacted:anthropic-key]",
      via: "prompt",
      redacted_paths: ["text"],
    });
    for (const { from, text } of await tapeOf(log, run_id)) if (from === "stdin") JSON.parse(text);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("are listed in redacted_paths of the terminal run event too", async () => {
    const { log } = temporaryLog();
    const runId = newRunId();
    const [begin, ...rest] = shortRun(() => {}, { runId });
    const refused = { type: "auth_error", runId, agent: "claude", timestamp: Date.now(), guidance: "" } as const;
    const events = [begin, ...rest.slice(0, -1), { ...refused, message: `Not ${secret}` }, ...rest.slice(-1)];
    await recordRun(sourceOf(events as AgentEvent[]), new Recorder({ log }));
    const end = (await envelopesOf(log, `run_${runId}`)).at(-1);
    expect(end).toMatchObject({ type: "run.failed", data: { redacted_paths: ["message", "error"] } });
  });

  it("are not in the row of a run that has just started", async () => {
    const { log } = temporaryLog();
    const runId = newRunId();
    const recorder = new Recorder({ log });
    void recorder.onStart({
      ...start(runId),
      request: { ...request, prompt: secret, cwd: `/${secret}`, model: secret },
    });
    await recorder.close();
    expect(JSON.stringify(await log.run(`run_${runId}`))).not.toContain(secret);
  });
});

describe("a log that refuses", () => {
  it.each(["stop", "continue"] as const)("is reported at once (if unrecorded: %s)", async (ifUnrecorded) => {
    const { log } = temporaryLog();
    const failing: Log = { ...refusing(log, 2) };
    const recorder = new Recorder({ log: failing });
    let aborted = false;
    let yielded = 0;
    const source = {
      abort: () => {
        aborted = true;
      },
      async *[Symbol.asyncIterator]() {
        for (const event of shortRun()) {
          if (aborted) return;
          yielded += 1;
          yield event;
          await new Promise(setImmediate);
          await new Promise(setImmediate);
        }
      },
    };
    const { failure } = await recordRun(source, recorder, { ifUnrecorded });
    expect(failure).toMatchObject({ code: "disk_full", hint: expect.stringContaining("disk space") });
    expect(failure?.message).toContain("no longer recorded");
    expect(aborted).toBe(ifUnrecorded === "stop");
    if (ifUnrecorded === "continue") expect(yielded).toBe(shortRun().length);
  });

  it("puts backpressure on a source while too much waits to be written", async () => {
    const { log } = temporaryLog();
    const gate = Promise.withResolvers<void>();
    const slow: Log = {
      ...refusing(log, Number.POSITIVE_INFINITY),
      append: async (batch) => gate.promise.then(() => log.append(batch)),
    };
    const recorder = new Recorder({ log: slow });
    const text = "x".repeat(300_000);
    const events = shortRun((script) => script.message(text, text, text, text));
    let waited: Promise<void> | undefined;
    for (const event of events) {
      recorder.add(event);
      waited ??= recorder.drained();
    }
    expect(waited).toBeDefined();
    gate.resolve();
    await waited;
    const { run_ids, failure } = await recorder.close();
    expect(failure).toBeUndefined();
    expect(await findingsOf(log, run_ids)).toEqual([]);
  });
});

/** A log that refuses writes after this many appends. */
function refusing(log: Log, appends: number): Log {
  let count = 0;
  return new Proxy(log, {
    get(target, name) {
      if (name === "append") {
        return async (batch: Parameters<Log["append"]>[0]) => {
          count += 1;
          if (count > appends) throw new LogError("disk_full", "The disk is full.");
          return target.append(batch);
        };
      }
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
    ownKeys: () => [
      "append",
      "claim",
      "read",
      "readAll",
      "run",
      "runs",
      "task",
      "tasks",
      "recent",
      "watch",
      "lastPosition",
      "upkeep",
      "tapes",
      "close",
    ],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}

async function flushed(log: Log, type: string, runId: string): Promise<void> {
  for (;;) {
    const run = await log.run(`run_${runId}`);
    if (run && (await envelopesOf(log, run.run_id)).some((envelope) => envelope.type === type)) return;
    await new Promise(setImmediate);
  }
}

async function tapeOf(log: Log, run_id: string) {
  const lines = [];
  for await (const line of log.tapes.read(run_id)) lines.push(line);
  return lines;
}
