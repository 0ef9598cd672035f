import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AgentEvent, createEventChecker, type Finding } from "@spoor/protocol";
import { describe, expect, it, vi } from "vitest";
import { toy } from "../../testing/run/toy-adapter.ts";
import type { Dialect, LaunchRequest, LiveDialect, Machine } from "../agents/machine.ts";
import { type Client, createClient, type RunOptions } from "../client.ts";
import type { Run } from "./run.ts";

const client: Client = createClient({ adapters: [toy], configDir: "/no/configuration" });
const run = (prompt: string, options: Partial<RunOptions> = {}): Run =>
  client.run({ agent: "toy", prompt, ...options });

async function collect(handle: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  return events;
}

function findings(events: readonly AgentEvent[]): Finding[] {
  const checker = createEventChecker();
  return [...events.flatMap((event) => checker.add(event)), ...checker.end()];
}

const brokenMachine = (): Machine => ({
  line: () => {
    throw new Error("cannot read");
  },
  exit: () => [],
});

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe("a run", () => {
  it("can be iterated, and its events keep the contract", async () => {
    const handle = run("say hello there");
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(events.every(({ runId }) => runId === handle.runId)).toBe(true);
    expect(handle.state).toBe("completed");
  });

  it("can be awaited without being iterated", async () => {
    expect(await run("say hello there")).toMatchObject({
      agent: "toy",
      sessionId: "toy-session",
      exitReason: "completed",
      text: "hello there ",
      turnCount: 1,
      exitCode: 0,
      error: undefined,
    });
  });

  it("returns events and tags in its result if asked to, and joins several prompts", async () => {
    const handle = run("", { prompt: ["say a", "b"], collectEvents: true, tags: ["nightly"], model: "small" });
    const result = await handle;
    expect(result).toMatchObject({ tags: ["nightly"], model: "small", text: "a\n\nb " });
    expect(result.events.at(-1)?.type).toBe("session_end");
    expect((await run("say x")).events).toEqual([]);
  });

  it("gives the same events to two iterators, a listener and the result", async () => {
    const handle = run("say hello there");
    const received: AgentEvent[] = [];
    const [first, second] = [collect(handle), collect(handle)];
    handle.on("*", (event) => received.push(event));
    const result = await handle;
    expect(await second).toEqual(await first);
    expect(received.length).toBeGreaterThan(0);
    expect(result.text).toBe("hello there ");
  });

  it("calls a listener for its type only, `once` only once, and not after `off`", async () => {
    const handle = run("say a b c");
    const [every, once, never]: [string[], string[], string[]] = [[], [], []];
    const listener = (event: { delta: string }) => never.push(event.delta);
    handle
      .on("text_delta", ({ delta }) => every.push(delta))
      .once("text_delta", ({ delta }) => once.push(delta))
      .on("text_delta", listener)
      .off("text_delta", listener);
    await handle;
    expect([every, once, never]).toEqual([["a ", "b ", "c "], ["a "], []]);
  });

  it("continues when a listener throws, and warns of it", async () => {
    const handle = run("ask");
    const received: string[] = [];
    handle.on("turn_start", () => {
      throw new Error("not my day");
    });
    handle.on("turn_start", () => received.push("second"));
    handle.interaction.onPending(() => {
      throw new Error("nor mine");
    });
    handle.interaction.onPending(({ id }) => handle.approve(id));
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(received).toEqual(["second"]);
    for (const words of ["not my day", "nor mine"]) {
      expect(events).toContainEqual(
        expect.objectContaining({ type: "debug", level: "warn", message: expect.stringContaining(words) }),
      );
    }
    expect((await handle).exitReason).toBe("completed");
  });

  it("ends with an error when our own code fails to read a line, and leaves no process", async () => {
    const broken = { ...toy, dialects: toy.dialects.map((dialect) => ({ ...dialect, createMachine: brokenMachine })) };
    const handle = createClient({ configDir: "/no/configuration", adapters: [broken] }).run({
      agent: "toy",
      prompt: "hang",
    });
    expect(await handle).toMatchObject({
      exitReason: "failed",
      error: { code: "INTERNAL", message: expect.stringContaining("cannot read") },
    });
  });

  it("applies backpressure for a slow reader and loses nothing", async () => {
    const handle = run("many 30000");
    const iterator = handle[Symbol.asyncIterator]();
    await iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = process.memoryUsage().heapUsed;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
    let deltas = 0;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      if (next.value.type === "text_delta") deltas += 1;
    }
    expect(deltas).toBe(30_000);
  });

  it("reads an agent that drops output on backpressure to its end, even if nobody reads the events", async () => {
    const [dialect] = toy.dialects as [Dialect & { live: LiveDialect }];
    const { launch, ...live } = dialect.live;
    const droppingLive = {
      ...live,
      launch: (request: LaunchRequest) => ({ ...launch(request), dropsOnBackpressure: true as const }),
    };
    const dropping = { ...toy, name: "dropping", dialects: [{ ...dialect, live: droppingLive }] };
    const state = path.join(mkdtempSync(path.join(tmpdir(), "spoor-dropping-")), "written");
    const handle = createClient({ adapters: [dropping], configDir: "/no/configuration" }).run({
      ...{ agent: "dropping", prompt: `floods 30000 ${state}` },
    });
    const iterator = handle[Symbol.asyncIterator]();
    await iterator.next();
    await vi.waitFor(() => expect(existsSync(state)).toBe(true), { timeout: 20_000 });
    handle.abort();
    await handle.result();
    rmSync(path.dirname(state), { recursive: true });
  });

  it("ends on abort even if the iterator has stopped reading", async () => {
    const handle = run("many 30000");
    const iterator = handle[Symbol.asyncIterator]();
    await iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    handle.abort();
    expect((await handle.result()).exitReason).toBe("aborted");
    const rest: AgentEvent[] = [];
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) rest.push(next.value);
    expect(types(rest).slice(-2)).toEqual(["aborted", "session_end"]);
  });

  it("does not wait for an unread iterator once its result is awaited", async () => {
    const handle = run("many 5000");
    handle[Symbol.asyncIterator]();
    expect((await handle).exitReason).toBe("completed");
  });

  it("gives the agent the caller's environment, or only what it needs in clean mode", async () => {
    const environment = { ...process.env, TOY_SECRET: "yes", OTHER_SECRET: "no", SPOOR_TOKEN: "ours" };
    const clean = { environment, environmentMode: "clean" } as const;
    expect((await run("env OTHER_SECRET", { environment })).text).toBe("no");
    expect((await run("env SPOOR_TOKEN", { environment, passEnv: ["SPOOR_TOKEN"] })).text).toBe("not there");
    expect((await run("env TOY_SECRET", clean)).text).toBe("yes");
    expect((await run("env OTHER_SECRET", clean)).text).toBe("not there");
    expect((await run("env OTHER_SECRET", { ...clean, passEnv: ["OTHER_SECRET"] })).text).toBe("no");
  });
});

describe("permission", () => {
  it("granted by id lets the call run", async () => {
    const handle = run("ask");
    handle.on("approval_request", ({ interactionId }) => handle.approve(interactionId));
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(types(events)).toEqual(expect.arrayContaining(["approval_granted", "shell_start", "tool_result"]));
  });

  it("denied gives the reason to the agent and runs nothing", async () => {
    const handle = run("ask");
    handle.interaction.onPending(({ id }) => handle.deny(id, "Not today."));
    const events = await collect(handle);
    expect(types(events)).not.toContain("shell_start");
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_error", error: "Not today." }));
  });

  it("waits until somebody answers, and a second answer throws", async () => {
    const handle = run("ask");
    const iterator = handle[Symbol.asyncIterator]();
    let next = await iterator.next();
    while (next.value?.type !== "approval_request") next = await iterator.next();
    const [pending] = handle.interaction.pending;
    expect(pending).toMatchObject({ type: "approval", detail: "rm -rf dist", riskLevel: "high" });
    handle.interaction.approveAll();
    expect(() => handle.approve(pending?.id ?? "")).toThrow("waits for an answer");
    await handle;
  });

  it("is granted or denied without an id if one question is open, and throws if none is", async () => {
    const handle = run("ask");
    expect(() => handle.approve()).toThrow("No question waits");
    handle.interaction.onPending(() => handle.deny(undefined, "Not today."));
    const events = await collect(handle);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_error", error: "Not today." }));
  });

  it.each([
    ["approve", "shell_start"],
    [true, "shell_start"],
    [{ approve: true }, "shell_start"],
    ["deny", "approval_denied"],
    [{ deny: true, reason: "No." }, "approval_denied"],
  ] as const)("is decided by a callback that says %j", async (answer, expected) => {
    const events = await collect(run("ask", { onApprovalRequest: async () => answer }));
    expect(findings(events)).toEqual([]);
    expect(types(events)).toContain(expected);
  });

  it("is denied when the callback throws, with a warning", async () => {
    const onApprovalRequest = () => Promise.reject(new Error("gone home"));
    const events = await collect(run("ask", { onApprovalRequest }));
    expect(types(events)).toContain("approval_denied");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "debug", message: expect.stringContaining("gone home") }),
    );
  });

  it("is asked of the callback by default, and never if everything is denied", () => {
    const modes: string[] = [];
    const dialects = toy.dialects.map((dialect) => ({
      ...dialect,
      live: dialect.live && {
        ...dialect.live,
        launch: (request: LaunchRequest) => {
          modes.push(request.approve);
          throw new Error("far enough");
        },
      },
    }));
    const spy = createClient({
      configDir: "/no/configuration",
      adapters: [{ ...toy, dialects: dialects as unknown as typeof toy.dialects }],
    });
    const onApprovalRequest = () => true;
    for (const options of [
      { approve: "yolo", onApprovalRequest },
      { approvalMode: "auto" },
      { approve: "prompt" },
      { approve: "deny", onApprovalRequest },
    ] as const) {
      expect(() => spy.run({ agent: "toy", prompt: "x", ...options })).toThrow("far enough");
    }
    expect(modes).toEqual(["ask", "auto", "ask", "deny"]);
  });

  it("cannot be asked for if the dialect cannot ask", () => {
    const withoutQuestions = { ...toy, dialects: toy.dialects.map((dialect) => ({ ...dialect, canAsk: false })) };
    expect(() =>
      createClient({ configDir: "/no/configuration", adapters: [withoutQuestions] }).run({
        agent: "toy",
        prompt: "x",
        onApprovalRequest: () => true,
      }),
    ).toThrow("does not ask for permission");
  });

  it("is not the only question: a callback may answer with text", async () => {
    expect((await run("question", { onInputRequired: () => "the green one" })).text).toBe("the green one");
  });

  it("is not the only question: an agent may ask for text", async () => {
    const handle = run("question");
    handle.interaction.onPending(({ id }) => handle.interaction.respond(id, { text: "the blue one" }));
    expect((await handle).text).toBe("the blue one");
  });
});

describe("control", () => {
  it("interrupts with the frames of the dialect", async () => {
    const handle = run("loop");
    handle.once("text_delta", () => handle.interrupt());
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(types(events).slice(-2)).toEqual(["interrupted", "session_end"]);
    expect((await handle).exitReason).toBe("interrupted");
  });

  it("aborts an agent that ignores SIGINT, and leaves no process", async () => {
    const handle = run("hang", { gracePeriodMs: 200 });
    handle.once("text_delta", () => handle.abort());
    const result = await handle;
    expect(result).toMatchObject({ exitReason: "aborted" });
    handle.abort();
  });

  it("stops at the time limit and at the inactivity limit", async () => {
    expect(await run("loop", { timeout: 400, gracePeriodMs: 200 })).toMatchObject({ exitReason: "timeout" });
    expect(await run("hang", { inactivityTimeout: 400, gracePeriodMs: 200 })).toMatchObject({
      exitReason: "inactivity",
      error: { code: "INACTIVITY_TIMEOUT" },
    });
  });

  it("does not count waiting for an answer, or a pause, as inactivity", async () => {
    // Longer than a busy machine takes to start a program.
    const limit = { inactivityTimeout: 2_000 };
    const asking = run("ask", limit);
    asking.interaction.onPending(({ id }) => setTimeout(() => asking.approve(id), 2_600));
    const paused = run("turns 2", limit);
    paused.once("turn_start", () => {
      paused.pause();
      setTimeout(() => paused.unpause(), 2_600);
    });
    const results = await Promise.all([asking.result(), paused.result()]);
    expect(results.map(({ exitReason }) => exitReason)).toEqual(["completed", "completed"]);
  });

  it("stops after the maximum number of turns", async () => {
    const events = await collect(run("turns 9", { maxTurns: 2 }));
    expect(findings(events)).toEqual([]);
    expect(events.at(-2)).toMatchObject({ type: "turn_limit", maxTurns: 2 });
  });

  it("can be interrupted while it is paused", async () => {
    const handle = run("loop");
    handle.once("text_delta", () => {
      handle.pause();
      setTimeout(() => handle.interrupt(), 50);
    });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(types(events)).toEqual(expect.arrayContaining(["paused", "resumed", "interrupted"]));
    expect((await handle).exitReason).toBe("interrupted");
  });

  it("pauses and continues", async () => {
    const handle = run("turns 3");
    handle.once("turn_start", () => {
      handle.pause();
      expect(() => handle.pause()).toThrow("paused already");
      setTimeout(() => handle.unpause(), 50);
    });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(types(events)).toEqual(expect.arrayContaining(["paused", "resumed"]));
    expect((await handle).turnCount).toBe(3);
  });

  it("gives queued prompts to the agent one after the other, in one run", async () => {
    const handle = run("say one");
    handle.queue("say two");
    handle.queue("say three");
    expect(await handle).toMatchObject({ text: "one \n\ntwo \n\nthree ", turnCount: 3 });
  });

  it("steers the agent while it works", async () => {
    const handle = run("question");
    handle.interaction.onPending(({ id }) => {
      handle.steer("say and this");
      void handle.interaction.respond(id, { text: "blue" });
    });
    expect((await handle).text).toContain("and this");
  });

  it("gives a prompt after a tool call, after a message, or when the agent is done", async () => {
    const handle = run("ask", { onApprovalRequest: () => true });
    handle.queue("say last");
    handle.steer("say tool", { when: "after-tool" });
    handle.steer("say response");
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect((await handle).text).toBe("tool \n\nresponse \n\nlast ");
  });

  it("refuses further prompts if the dialect takes none, and empty prompts", async () => {
    const withoutFollowUps = toy.dialects.map((dialect) => ({
      ...dialect,
      live: dialect.live && {
        ...dialect.live,
        createDriver: (request: LaunchRequest) => {
          const { follow: _, ...driver } = (dialect.live as LiveDialect).createDriver(request);
          return driver;
        },
      },
    }));
    const adapter = { ...toy, dialects: withoutFollowUps as unknown as typeof toy.dialects };
    const handle = createClient({ configDir: "/no/configuration", adapters: [adapter] }).run({
      agent: "toy",
      prompt: "say x",
    });
    for (const give of [() => handle.queue("y"), () => handle.steer("y"), () => handle.send("y")]) {
      expect(give).toThrow(expect.objectContaining({ code: "STDIN_NOT_AVAILABLE" }));
    }
    await handle;
    const other = run("say x");
    expect(() => other.send(" ")).toThrow("The prompt is empty.");
    await other;
  });

  it("gives the agent an answer from a pause once it is resumed", async () => {
    const handle = run("ask");
    handle.interaction.onPending(({ id }) => {
      handle.pause();
      void handle.approve(id);
      setTimeout(() => handle.unpause(), 100);
    });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    const order = types(events).filter((type) => ["paused", "resumed", "approval_granted"].includes(type));
    expect(order).toEqual(["paused", "resumed", "approval_granted"]);
    expect(await handle).toMatchObject({ exitReason: "completed" });
  });

  it("refuses prompts that would be lost: after the agent is done, and after an interrupt or an abort", async () => {
    const codes: string[] = [];
    const give = (handle: Run) => {
      for (const method of ["send", "steer", "queue"] as const) {
        try {
          handle[method]("say more");
        } catch (error) {
          codes.push((error as { code: string }).code);
        }
      }
    };
    const done = run("say one");
    done.once("turn_end", () => setImmediate(give, done));
    expect(await done).toMatchObject({ exitReason: "completed", text: "one " });
    expect(codes.splice(0)).toEqual(["RUN_NOT_ACTIVE", "RUN_NOT_ACTIVE", "RUN_NOT_ACTIVE"]);
    for (const end of ["interrupt", "abort"] as const) {
      const ended = run("loop");
      ended.once("text_delta", () => {
        ended[end]();
        give(ended);
      });
      const events = await collect(ended);
      expect(types(events).slice(-2)).toEqual([`${end}ed`, "session_end"]);
      expect(types(events).filter((type) => type === "session_start")).toHaveLength(1);
      expect(codes.splice(0)).toEqual(["RUN_NOT_ACTIVE", "RUN_NOT_ACTIVE", "RUN_NOT_ACTIVE"]);
    }
  });

  it("has a state for each phase of its life", async () => {
    const handle = run("turns 3");
    const states = [handle.state];
    handle.once("session_start", () => states.push(handle.state));
    handle.once("turn_start", () => {
      handle.pause();
      states.push(handle.state);
      setTimeout(() => {
        handle.resume();
        states.push(handle.state);
      }, 50);
    });
    await handle;
    expect([...states, handle.state]).toEqual(["spawned", "running", "paused", "running", "completed"]);
    expect(() => handle.pause()).toThrow(expect.objectContaining({ code: "RUN_NOT_ACTIVE" }));
    const interrupted = run("loop");
    interrupted.once("text_delta", () => interrupted.interrupt());
    interrupted.once("interrupted", () => states.push(interrupted.state));
    await interrupted;
    expect([states.at(-1), interrupted.state]).toEqual(["interrupted", "completed"]);
  });

  it("continues its session as a new run", async () => {
    const first = run("say one");
    expect(() => first.continue("say two")).toThrow("has not ended");
    await first;
    const second = first.continue("say two");
    const events = await collect(second);
    expect(findings(events)).toEqual([]);
    expect(second.runId).not.toBe(first.runId);
    expect(events[0]).toMatchObject({ type: "session_start", sessionId: "toy-session", resumed: true });
  });

  it("throws when it has ended and is asked for more", async () => {
    const handle = run("say x");
    await handle;
    expect(() => handle.send("more")).toThrow("has ended");
    expect(() => handle.interrupt()).toThrow("has ended");
  });
});

describe("a run that fails", () => {
  it("does not start if the program is missing, and says how to install the agent", () => {
    const started = (options: RunOptions) => () => client.run(options);
    const missing = started({ agent: "toy", prompt: "say x", command: "no-such-program-anywhere" });
    expect(missing).toThrow('The command "no-such-program-anywhere" cannot be run');
    const emptyPath = { PATH: "/no/programs" };
    expect(started({ agent: "claude", prompt: "x", environment: emptyPath })).toThrow(
      expect.objectContaining({
        code: "AGENT_NOT_INSTALLED",
        message: expect.stringContaining("Install it:\n  npm install -g @anthropic-ai/claude-code"),
      }),
    );
  });

  it("names the way to give the program if the adapter does not say how to install it", () => {
    const [dialect] = toy.dialects as [Dialect & { live: LiveDialect }];
    const nowhere = { ...toy, dialects: [{ ...dialect, live: { ...dialect.live, command: "no-such-toy" } }] };
    const start = () => createClient({ adapters: [nowhere] }).run({ agent: "toy", prompt: "say x" });
    expect(start).toThrow(/"no-such-toy" on the PATH\. Install it, or give its path with `command`\.$/);
  });

  it("reports the exit code and the stderr tail of a crash", async () => {
    const events = await collect(run("crash 7"));
    expect(findings(events)).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ type: "crash", exitCode: 7, stderr: "about to fail\n" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "log", line: "about to fail" }));
  });

  it("is killed if a signal ended it that Spoor did not send", async () => {
    const handle = run("kill");
    expect(await handle).toMatchObject({ exitReason: "killed", signal: "SIGKILL", error: { code: "AGENT_CRASH" } });
    expect(handle.state).toBe("killed");
  });

  it("throws at once if it cannot start", () => {
    expect(() => client.run({ agent: "nobody", prompt: "x" })).toThrow('There is no agent "nobody"');
    expect(() => run(" ")).toThrow("The prompt is empty.");
    expect(() => run("x", { dialect: "latin" })).toThrow('cannot be run in the dialect "latin"');
    const withoutStreaming = {
      ...toy,
      dialects: toy.dialects.map((dialect) => ({ ...dialect, streams: { ...dialect.streams, text: false } })),
    };
    expect(() =>
      createClient({ configDir: "/no/configuration", adapters: [withoutStreaming] }).run({
        agent: "toy",
        prompt: "x",
        stream: true,
      }),
    ).toThrow("does not stream text");
  });
});

describe("foreign code that fails", () => {
  const fail = () => {
    throw new Error("not today");
  };
  const failLater = () => Promise.reject(new Error("not today"));

  it.each([
    ["an observer of events that throws", { onEvent: fail }],
    ["an observer of events that rejects", { onEvent: failLater as () => never }],
    ["an observer of lines that throws", { onLine: fail }],
    ["an observer of user input that throws", { onUserInput: fail }],
  ])("does not harm the run: %s", async (_, observer) => {
    const handle = client.run({ agent: "toy", prompt: "say one", retryPolicy: {} }, observer);
    handle.queue("say two");
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(events.at(-1)?.type).toBe("session_end");
    expect(warningsOfThrows(events)).toEqual(["An observer threw: not today"]);
    expect(await handle).toMatchObject({ exitReason: "completed", text: "one \n\ntwo " });
  });

  it.each([
    ["a listener to everything that throws", (handle: Run) => handle.on("*", fail)],
    ["a listener to everything that rejects", (handle: Run) => handle.on("*", failLater as () => never)],
    ["a listener that receives the events it causes", (handle: Run) => handle.on("debug", fail).on("turn_start", fail)],
    ["a listener to questions that rejects", (handle: Run) => handle.interaction.onPending(failLater)],
  ])("does not harm the run: %s", async (_, listen) => {
    const handle = client.run({ agent: "toy", prompt: "ask", onApprovalRequest: () => true });
    const iterator = handle[Symbol.asyncIterator]();
    listen(handle);
    const events: AgentEvent[] = [];
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) events.push(next.value);
    expect(findings(events)).toEqual([]);
    expect(events.at(-1)?.type).toBe("session_end");
    expect(warningsOfThrows(events)).toEqual(["A listener threw: not today"]);
    expect(await handle).toMatchObject({ exitReason: "completed" });
  });

  it("keeps the agent from starting if `onStart` rejects", async () => {
    expect(() => client.run({ agent: "toy", prompt: "say one" }, { onStart: fail })).toThrow("not today");
    const handle = client.run({ agent: "toy", prompt: "say one" }, { onStart: failLater });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: "crashed", text: "", error: { message: expect.any(String) } });
    expect((await handle).error?.message).toContain("was not started: not today");
  });

  it("ends the run with an error if the clock throws during the wait for a retry", async () => {
    const clock = { random: () => 0, sleep: fail };
    const failing = createClient({ adapters: [toy], configDir: "/no/configuration", clock });
    const handle = failing.run({ agent: "toy", prompt: "crash 3", retryPolicy: { maxAttempts: 1 } });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: "failed", error: { code: "INTERNAL", message: "not today" } });
  });

  it("starts the agent once `onStart` resolves, and never after an abort", async () => {
    const ready = Promise.withResolvers<void>();
    const lines: string[] = [];
    const observer = { onStart: () => ready.promise, onLine: ({ from }: { from: string }) => void lines.push(from) };
    const handle = client.run({ agent: "toy", prompt: "say one" }, observer);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(lines).toEqual(["stdin"]);
    ready.resolve();
    expect(await handle).toMatchObject({ exitReason: "completed", text: "one " });

    const never = client.run({ agent: "toy", prompt: "say one" }, { onStart: () => new Promise<void>(() => {}) });
    never.abort();
    expect(await never).toMatchObject({ exitReason: "aborted", text: "" });
  });

  it("denies an action if the answer is not exactly an approval", async () => {
    const handle = client.run({ agent: "toy", prompt: "ask", onApprovalRequest: () => ({ approve: false }) as never });
    const events = await collect(handle);
    expect(events.map(({ type }) => type)).toContain("approval_denied");
  });
});

const warningsOfThrows = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "debug" && event.message.includes(" threw: ") ? [event.message] : []));

it("a pending question has the tool, its call and its input", async () => {
  const handle = run("ask");
  const pending = new Promise((resolve) => handle.interaction.onPending(resolve));
  handle.interaction.onPending(({ id }) => handle.deny(id));
  await handle;
  const tool = { toolName: "Bash", toolCallId: "t1", input: { command: "rm -rf dist" } };
  expect(await pending).toMatchObject({ type: "approval", detail: "rm -rf dist", ...tool });
});
