import { fileURLToPath } from "node:url";
import type { AgentEvent } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { privateHome } from "../../../testing/run/private-home.ts";
import { eventsOfLines } from "../../../testing/run/recorded.ts";
import { toy } from "../../../testing/run/toy-adapter.ts";
import type { TapeLine } from "../../log/log.ts";
import { createRunner } from "../../run/runner.ts";
import type { TapeHeader } from "./header.ts";
import { createReplay } from "./replay.ts";

const program = fileURLToPath(new URL("../../../testing/run/programs/print-lines.mjs", import.meta.url));

interface Script {
  lines: { from: "stdout" | "stderr"; text: string }[];
  code: number;
}

const id = fc.constantFrom("a", "b");
const text = fc.constantFrom("x", "Hello ", "é");
/** Lines of the toy dialect, in an order that no agent would choose. */
const frame = fc.oneof(
  fc.record({ session: fc.constantFrom("one", "two") }),
  fc.record({ call: fc.constant(true) }),
  fc.record({ say: text }),
  fc.record({ tool: id, command: text }),
  fc.record({ end: id, error: text, exit: fc.constantFrom(0, 1) }, { requiredKeys: ["end"] }),
  fc.record({ ask: id, tool: id, command: text }),
  fc.record({ question: id, text }),
  fc.record({ cost: fc.constantFrom(1, 2.5) }),
  fc.record({ unknown: text }),
);
const failure = fc.oneof(
  fc.record({ limit: fc.constant(1) }),
  fc.record({ done: fc.constantFrom("ok", "interrupted") }),
);
const stdout = (arbitrary: fc.Arbitrary<object>) =>
  fc
    .oneof({ arbitrary: arbitrary.map((frame) => JSON.stringify(frame)), weight: 12 }, fc.constant("not JSON"))
    .map((text) => ({ from: "stdout" as const, text }));
const stderr = fc.constant({ from: "stderr" as const, text: "oh no" });

const anyScript: fc.Arbitrary<Script> = fc.record({
  lines: fc.array(fc.oneof({ arbitrary: stdout(frame), weight: 12 }, stdout(failure), stderr), { maxLength: 40 }),
  code: fc.constantFrom(0, 7),
});

describe("the wire of a run", () => {
  it("gives the same events live and from its tape, retries included", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(anyScript, fc.boolean(), async (script, isRetried) => {
        const { events, tape } = await runLive(script, isRetried);
        expect(stable(await replayed(tape, events))).toEqual(stable(events));
      }),
      { numRuns: 25 },
    ),
  );

  it("gives the same events live and as a recording of what the agent printed", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.array(stdout(frame), { maxLength: 40 }), async (lines) => {
        // A recording does not show that a prompt was left unfinished, so this prompt is finished.
        const script = { lines: [...lines, { from: "stdout" as const, text: '{"done":"ok"}' }], code: 0 };
        const { events } = await runLive(script, false);
        const parsed = await eventsOfLines(
          toy,
          script.lines.map(({ text }) => text),
        );
        expect(stable(parsed)).toEqual(stable(events));
      }),
      { numRuns: 15 },
    ),
  );

  it("reports live and from the tape if an agent exits in the middle of a prompt or stops on its own", async () => {
    for (const [line, code] of [
      ['{"say":"x"}', "crash"],
      ['{"done":"interrupted"}', "error"],
    ] as const) {
      const { events, tape } = await runLive({ lines: [{ from: "stdout", text: line }], code: 0 }, false);
      expect(events.map(({ type }) => type)).toContain(code);
      expect(stable(await replayed(tape, events))).toEqual(stable(events));
    }
  });

  it("reports live and from the tape why an agent could not be started", async () => {
    const tape: TapeLine[] = [];
    const run = createRunner([toy], { configDir: "/no/configuration" }).run(
      { agent: "toy", prompt: "go", cwd: "/", approve: "ask" },
      {
        onStart: () => Promise.reject(new Error("The disk is full.")),
        onLine: (line) => tape.push({ ...line, at: Date.now() }),
      },
    );
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.find(({ type }) => type === "crash")).toMatchObject({
      stderr: expect.stringContaining("The disk is full."),
    });
    expect(stable(await replayed(tape, events))).toEqual(stable(events));
  });
});

async function runLive(script: Script, isRetried: boolean): Promise<{ events: AgentEvent[]; tape: TapeLine[] }> {
  const { at } = privateHome({ "script.json": JSON.stringify(script) });
  const tape: TapeLine[] = [];
  const client = createRunner([toy], { configDir: "/no/configuration" });
  const retryOn = ["RATE_LIMITED", "AGENT_CRASH"] as const;
  const run = client.run(
    {
      agent: "toy",
      prompt: "go",
      cwd: "/",
      approve: "ask",
      command: [process.execPath, program, at("script.json")],
      ...(isRetried && { retryPolicy: { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1, jitterFactor: 0, retryOn } }),
    },
    { onLine: (line) => tape.push({ ...line, at: Date.now() }) },
  );
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, tape };
}

async function replayed(tape: readonly TapeLine[], live: readonly AgentEvent[]): Promise<AgentEvent[]> {
  const retries = live.flatMap((event) => {
    if (event.type !== "retry") return [];
    const { type, attempt, maxAttempts, reason, delayMs, timestamp } = event;
    return [{ at: timestamp, fact: { type, attempt, maxAttempts, reason, delayMs } }];
  });
  const replay = await createReplay(toy, header, "replayed", { retries });
  return [...tape.flatMap((line) => replay.line(line)), ...replay.finish()];
}

const header: TapeHeader = {
  ...{ agent: "toy", dialect: "toy", stream: "auto", approve: "ask", can_ask: true, cwd: "/" },
  ...{ no_session: false, resumed: false, record_thinking: true, record_tool_input: true },
};

/** Removes times, generated ids, and the approval mode, which a recording does not contain. */
const stable = (events: readonly AgentEvent[]): unknown[] =>
  events.map((event) => {
    const { timestamp: _, runId: __, ...rest } = event;
    const text = JSON.stringify(rest, (name, value) =>
      name === "durationMs" || name === "approvalMode" || name === "cwd" ? undefined : value,
    );
    return text.replaceAll(/(appr_|transient-)[0-9A-Z]{26}/g, "$1ID");
  });
