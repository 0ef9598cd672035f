import type { AgentEvent } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../../src/agents/machine.ts";
import { adapters } from "../../src/agents/registry.ts";
import { eventsOf, eventsOfLines, linesOf, recordingsOf } from "../run/recorded.ts";

/** One-sided recordings that contain several prompts. A cut between two prompts is no failure. */
const severalPrompts =
  /i3-subagent-background|x-bash-background|x2-bash-timeout|multi_turn_stdin|interrupt_control|\.(sse|gateway)\./;

/**
 * Frames that a process prints before it receives a prompt. A one-sided recording does not show whether it received
 * one.
 */
const handshake = /^\{"type":"control_response"/;

const LONG = 60;

const recorded = adapters.flatMap((adapter) => recordingsOf(adapter.name).map((name) => ({ name, adapter })));
const short = recorded.filter(({ name }) => linesOf(name).length <= LONG);
const oneWay = short.filter(
  ({ name }) => !isOfBothDirections(name) && !severalPrompts.test(name) && !/session-log/.test(name),
);

describe("output that is cut although the process exits with 0", () => {
  it("is never reported as an interruption", { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    for (const { name, adapter } of short) {
      if ((await endingsOf(adapter, linesOf(name))).includes("interrupted") || isAbort(name)) continue;
      for (const { count, ending } of await cutEverywhere(adapter, name)) {
        if (ending === "interrupted") wrong.push(`${name} after ${count} lines`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("is a failure until the agent has reported its own end", { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    for (const { name, adapter } of oneWay) {
      const cuts = await cutEverywhere(adapter, name);
      const last = cuts.findLastIndex(({ ending }) => ending !== "completed");
      const early = cuts.slice(0, last).filter(({ ending }) => ending === "completed");
      const unexpected = early.filter(({ count }) => !handshake.test(linesOf(name)[count - 1] ?? ""));
      wrong.push(...unexpected.map(({ count }) => `${name} after ${count} lines`));
    }
    expect(oneWay.length).toBeGreaterThan(80);
    expect(wrong).toEqual([]);
  });

  it("is an interruption if the recording says that the agent was stopped", async () => {
    const gemini = adapters.find(({ name }) => name === "gemini") as Adapter;
    const stopped = await eventsOf(gemini, "gemini/0.61.0/interrupt_sigint_group.jsonl");
    expect(stopped.at(-2)).toMatchObject({ type: "interrupted" });
    const cut = await eventsOfLines(gemini, linesOf("gemini/0.61.0/interrupt_sigint_group.jsonl"));
    expect(cut.at(-2)).toMatchObject({ type: "crash", exitCode: 0 });
  });
});

async function cutEverywhere(adapter: Adapter, name: string): Promise<{ count: number; ending: string }[]> {
  const lines = linesOf(name);
  const cuts: { count: number; ending: string }[] = [];
  for (let count = 0; count < lines.length; count++) {
    const endings = await endingsOf(adapter, lines.slice(0, count));
    cuts.push({ count, ending: endings.at(-1) ?? "completed" });
  }
  return cuts;
}

async function endingsOf(adapter: Adapter, lines: readonly string[]): Promise<string[]> {
  return (await eventsOfLines(adapter, lines)).filter(endsRun).map(({ type }) => type);
}

const endsRun = (event: AgentEvent): boolean =>
  event.type === "error"
    ? !event.recoverable
    : /^(interrupted|aborted|crash|timeout|turn_limit|auth_error|rate_limit_error|context_exceeded)$/.test(event.type);

function isOfBothDirections(name: string): boolean {
  return linesOf(name)[0]?.startsWith('{"dir":') === true;
}

/** Whether the recording contains an interruption somewhere, even if the agent continued after it. */
function isAbort(name: string): boolean {
  return /cancel|abort|interrupt|sigint/i.test(name);
}
