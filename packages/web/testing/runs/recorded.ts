import { readdirSync } from "node:fs";
import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { findAdapter } from "../../../spoor/src/agents/registry.ts";
import type { Log } from "../../../spoor/src/log/log.ts";
import { openLog } from "../../../spoor/src/log/open.ts";
import { recordRun } from "../../../spoor/src/runtime/record-run.ts";
import { Recorder } from "../../../spoor/src/runtime/recorder/recorder.ts";
import { eventsOf, recordingsOf } from "../../../spoor/testing/run/recorded.ts";
import { sourceOf } from "../../../spoor/testing/runtime/recorded-run.ts";

const fixtures = new URL("../../../spoor/fixtures/", import.meta.url);
const newId = createUlidSource();

/** Paths of all golden recordings that a registered adapter reads, such as `claude/2.1.325/a-text.jsonl`. */
export function goldenRecordings(): string[] {
  return readdirSync(fixtures).flatMap((agent) => (findAdapter(agent) ? recordingsOf(agent) : []));
}

/** Records golden recordings into a data directory. Returns the ids of the runs by recording. */
export async function recordGolden(data: string, recordings: readonly string[]): Promise<Map<string, string>> {
  const runs = new Map<string, string>();
  const log = await openLog({ directory: data, durability: "process" });
  try {
    for (const recording of recordings) {
      const adapter = findAdapter(recording.split("/", 1)[0] ?? "");
      if (!adapter) throw new Error(`No adapter reads ${recording}.`);
      runs.set(recording, await recordInto(log, await eventsOf(adapter, recording)));
    }
  } finally {
    await log.close();
  }
  return runs;
}

export interface RecordOptions {
  record_thinking?: boolean;
  /** What the run was asked to do. It is the title of the run too. Default: it is not known. */
  prompt?: string;
  cwd?: string;
}

/** Records events as one run and those of its subagents. Returns the id of the run. */
export async function recordEvents(
  data: string,
  events: readonly AgentEvent[],
  options: RecordOptions = {},
): Promise<string> {
  const log = await openLog({ directory: data, durability: "process" });
  try {
    return await recordInto(log, events, options);
  } finally {
    await log.close();
  }
}

/** Records many runs one after the other. Returns their ids. */
export async function recordAll(
  data: string,
  runs: readonly { events: readonly AgentEvent[]; options?: RecordOptions }[],
): Promise<string[]> {
  const log = await openLog({ directory: data, durability: "process" });
  const ids: string[] = [];
  try {
    for (const { events, options } of runs) ids.push(await recordInto(log, events, options));
  } finally {
    await log.close();
  }
  return ids;
}

async function recordInto(
  log: Log,
  given: readonly AgentEvent[],
  { record_thinking = false, prompt, cwd = "/home/dev/project" }: RecordOptions = {},
): Promise<string> {
  const events = withNewIds(given);
  const [first] = events;
  const recorder = new Recorder({
    log,
    record_thinking,
    ...(prompt !== undefined && first && { now: () => first.timestamp }),
  });
  if (first && prompt !== undefined) {
    const request = { prompt, cwd, approve: "ask" } as const;
    void recorder.onStart({ runId: first.runId, agent: first.agent, dialect: "recorded", request, stream: "auto" });
  }
  const { run_ids, failure } = await recordRun(sourceOf(events), recorder);
  if (failure) throw failure;
  return run_ids[0] as string;
}

/** The same events with runs of their own, so that they can be recorded twice. */
function withNewIds(events: readonly AgentEvent[]): AgentEvent[] {
  const ids = [...new Set(events.map(({ runId }) => runId))];
  const [only] = ids;
  if (ids.length === 1) {
    const runId = newId();
    return events.map((event) => (event.runId === only ? { ...event, runId } : event));
  }
  const text = ids.reduce((json, id) => json.replaceAll(id, newId()), JSON.stringify(events));
  return JSON.parse(text) as AgentEvent[];
}
