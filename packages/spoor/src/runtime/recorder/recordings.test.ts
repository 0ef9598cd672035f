import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { eventsOf, recordingsOf } from "../../../testing/run/recordings.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { adapters } from "../../agents/registry.ts";
import { recordRun } from "../record-run.ts";
import { Recorder } from "./recorder.ts";

const agents = ["claude", "codex", "gemini", "pi", "qwen", "acp"];

describe.each(agents)("recorded runs of %s", (agent) => {
  const adapter = adapters.find(({ name }) => name === agent);
  if (!adapter) throw new Error(`No adapter ${agent}.`);

  it.each([
    { record_thinking: false, record_tool_input: false },
    { record_thinking: true, record_tool_input: true },
  ])("keep the contract as they stand in the log, %o", { timeout: 240_000 }, async (parts) => {
    const { log } = temporaryLog();
    for (const recording of recordingsOf(agent)) {
      const events = underNewIds(await eventsOf(adapter, recording));
      const { run_ids, failure } = await recordRun(sourceOf(events), new Recorder({ log, ...parts }));
      expect(failure).toBeUndefined();
      expect(new Set(run_ids), recording).toEqual(new Set(events.map(({ runId }) => `run_${runId}`)));
      expect(await findingsOf(log, run_ids), recording).toEqual([]);
      for (const run_id of run_ids) {
        const envelopes = await envelopesOf(log, run_id);
        const types = envelopes.map(({ type }) => type);
        expect(types.filter((type) => /^run\.(finished|failed|cancelled)$/.test(type))).toHaveLength(1);
        const hasThinking = events.some(({ type, runId }) => type === "thinking_delta" && `run_${runId}` === run_id);
        expect(types.some((type) => type.startsWith("assistant.thinking"))).toBe(hasThinking && parts.record_thinking);
        if (!parts.record_tool_input) expect(types).not.toContain("assistant.tool_call_input_delta");
        const record = await log.run(run_id);
        expect(["completed", "failed", "cancelled"]).toContain(record?.status);
        expect(record?.ended_at).toBeGreaterThan(0);
      }
    }
  });
});

/** The same recording gives the same ids each time, and a log takes an id once. */
function underNewIds(events: readonly AgentEvent[]): AgentEvent[] {
  const ids = new Map([...new Set(events.map(({ runId }) => runId))].map((id) => [id, newUlid()]));
  return JSON.parse(JSON.stringify(events), (_, value) => ids.get(value) ?? value);
}

const newUlid = createUlidSource();

async function* sourceOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
