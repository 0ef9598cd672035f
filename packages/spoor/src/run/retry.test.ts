import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, createEventChecker, type Finding } from "@spoor/protocol";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toy } from "../../testing/run/toy-adapter.ts";
import { createClient } from "../client.ts";
import { defaultRetryPolicy } from "../options/retry-policy.ts";
import type { RunOptions } from "../options/run-options.gen.ts";
import { codeOf, retryDelay, retryFact } from "./retry.ts";
import type { Run } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "spoor-retry-"));
const state = join(folder, "starts");
afterAll(() => rmSync(folder, { recursive: true }));

let slept: number[] = [];
beforeEach(() => {
  slept = [];
  rmSync(state, { force: true });
});

const clock = {
  random: () => 0.5,
  sleep: async (milliseconds: number) => {
    slept.push(milliseconds);
  },
};
const client = createClient({ adapters: [toy], clock, configDir: folder });
const run = (prompt: string, options: Partial<RunOptions> = {}): Run =>
  client.run({ agent: "toy", prompt, env: { TOY_STATE: state }, retryPolicy: {}, ...options });

/** A time limit that a busy machine does not reach while it starts a program. */
const PATIENCE_MS = 4_000;

const starts = () => (existsSync(state) ? readFileSync(state, "utf8").length : 0);

async function collect(handle: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of handle) events.push(event);
  return events;
}

function findings(events: readonly AgentEvent[]): Finding[] {
  const checker = createEventChecker();
  return [...events.flatMap((event) => checker.add(event)), ...checker.end()];
}

const ofType = <T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T) =>
  events.filter((event) => event.type === type);

describe("a run with a retry policy", () => {
  it("is retried after a crash in the same stream, with one session", async () => {
    const handle = run("crashes 2");
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(starts()).toBe(3);
    expect(ofType(events, "session_start")).toHaveLength(1);
    expect(ofType(events, "crash")).toHaveLength(0);
    expect(ofType(events, "retry")).toMatchObject([
      { attempt: 1, maxAttempts: 3, delayMs: 1050, reason: expect.stringContaining("AGENT_CRASH") },
      { attempt: 2, maxAttempts: 3, delayMs: 2100 },
    ]);
    expect(slept).toEqual([1050, 2100]);
    expect(await handle).toMatchObject({ exitReason: "completed", text: "try3 ", sessionId: "toy-session-3" });
    expect(handle.state).toBe("completed");
  });

  it("adds up the cost of all attempts", async () => {
    expect((await run("crashes 2")).cost).toMatchObject({ totalUsd: 3, inputTokens: 3 });
  });

  it("ends with the last failure when all attempts failed", async () => {
    const handle = run("crashes 9", { retryPolicy: { maxAttempts: 2 } });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(starts()).toBe(3);
    expect(events.slice(-2)).toMatchObject([{ type: "crash", exitCode: 7 }, { type: "session_end" }]);
    expect(await handle).toMatchObject({ exitReason: "crashed", error: { code: "AGENT_CRASH", recoverable: true } });
  });

  it("waits at least as long as the rate limit demands", async () => {
    const handle = run("limited 1 5000");
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(slept).toEqual([5000]);
    expect(await handle).toMatchObject({ exitReason: "completed", text: "through " });
  });

  it("gives each attempt the whole time limit", async () => {
    expect(await run("hangs 1", { timeout: PATIENCE_MS, gracePeriodMs: 100 })).toMatchObject({
      exitReason: "completed",
      text: "awake ",
    });
  });

  it("is no longer paused after a timeout during a pause", async () => {
    const handle = run("hangs 1", { timeout: PATIENCE_MS, gracePeriodMs: 100 });
    handle.once("text_delta", () => handle.pause());
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf("resumed")).toBeGreaterThan(types.indexOf("paused"));
    expect(await handle).toMatchObject({ exitReason: "completed", text: "awake " });
  });

  it("is retried after an inactivity timeout, which is the reason of the retry", async () => {
    const handle = run("hangs 1", { inactivityTimeout: PATIENCE_MS, gracePeriodMs: 100 });
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(ofType(events, "retry")).toMatchObject([
      { reason: "INACTIVITY_TIMEOUT: The inactivity limit was reached." },
    ]);
    expect(await handle).toMatchObject({ exitReason: "completed", text: "awake " });
  });

  it.each([
    ["an abort", "hangs 9", {}, "aborted"],
    ["the turn limit", "turns 9", { maxTurns: 1 }, "turn_limit"],
    [
      "a timeout that is not in its list",
      "hangs 9",
      { timeout: PATIENCE_MS, retryPolicy: { retryOn: ["AGENT_CRASH"] } },
      "timeout",
    ],
  ] as const)("is not retried after %s, although the process ended with an error", async (_, prompt, options, end) => {
    const handle = run(prompt, { gracePeriodMs: 100, ...options });
    if (end === "aborted") handle.once("text_delta", () => handle.abort());
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(ofType(events, "retry")).toEqual([]);
    expect(starts()).toBe(1);
    expect(events.slice(-2).map(({ type }) => type)).toEqual([end, "session_end"]);
    expect((await handle).exitReason).toBe(end);
  });

  it("closes the questions of the process that ended", async () => {
    const handle = run("doubts 1");
    const pending: number[] = [];
    handle.on("input_required", () => pending.push(handle.interaction.pending.length));
    handle.on("text_delta", () => pending.push(handle.interaction.pending.length));
    await handle;
    expect(pending).toEqual([1, 0]);
  });

  it("repeats only the failed prompt, in the session of the prompts before it", async () => {
    const handle = run("say one");
    handle.queue("resumed");
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(ofType(events, "retry")).toHaveLength(1);
    expect((await handle).text).toBe("one \n\nresumed toy-session ");
  });

  it.each([
    ["fails with a code that is not in `retryOn`", "crashes 9", { retryPolicy: { retryOn: ["RATE_LIMITED"] } }],
    ["has no retries", "crashes 9", { retryPolicy: { maxAttempts: 0 } }],
  ] as const)("is not retried when it %s", async (_, prompt, options) => {
    const events = await collect(run(prompt, options));
    expect(ofType(events, "retry")).toEqual([]);
    expect(ofType(events, "crash")).toHaveLength(1);
  });

  it("is not retried without a policy", async () => {
    const bare = client.run({ agent: "toy", prompt: "crashes 9", env: { TOY_STATE: state } });
    expect(ofType(await collect(bare), "retry")).toEqual([]);
  });

  it("can be aborted while it waits for a retry", async () => {
    const withRealClock = createClient({ adapters: [toy], configDir: folder });
    const handle = withRealClock.run({
      agent: "toy",
      prompt: "crashes 9",
      env: { TOY_STATE: state },
      retryPolicy: { baseDelayMs: 600_000, maxDelayMs: 600_000 },
    });
    handle.on("retry", () => setTimeout(() => handle.abort(), 20));
    const events = await collect(handle);
    expect(findings(events)).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: "aborted" });
    expect(handle.state).toBe("aborted");
    expect(starts()).toBe(1);
  });
});

it("the reason of a retry after a signal has no exit code", () => {
  const killed = { type: "crash", exitCode: -1, stderr: "" } as const;
  expect(retryFact(defaultRetryPolicy, 1, killed, () => 0).reason).toBe(
    "AGENT_CRASH: The agent's process ended before it was done.",
  );
});

describe("the delay", () => {
  it("doubles, stays below its limit plus jitter, and is never below what the service demands", () => {
    const crash = { type: "crash", exitCode: 1, stderr: "" } as const;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (retry, chance) => {
        const delay = retryDelay(defaultRetryPolicy, retry, crash, () => chance);
        const bare = Math.min(1000 * 2 ** (retry - 1), 30_000);
        expect(delay).toBeGreaterThanOrEqual(bare);
        expect(delay).toBeLessThanOrEqual(Math.ceil(bare * 1.1));
        const rateLimit = { type: "rate_limit_error", message: "", retryAfterMs: 90_000 } as const;
        expect(retryDelay(defaultRetryPolicy, retry, rateLimit, () => chance)).toBe(90_000);
      }),
    );
  });

  it("exists for failures only: an end that somebody asked for has no code", () => {
    expect([codeOf({ type: "aborted" }), codeOf({ type: "interrupted" })]).toEqual([undefined, undefined]);
  });
});
