import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { Script, type ScriptOptions } from "../../../protocol/testing/script.ts";
import type { Log } from "../../src/log/log.ts";
import { recordRun } from "../../src/runtime/record-run.ts";
import { Recorder, type RecorderOptions } from "../../src/runtime/recorder/recorder.ts";

export const newRunId = createUlidSource();

/** Returns the events of a run with one turn: a message, and whatever `addEvents` adds. */
export function shortRun(addEvents: (script: Script) => unknown = () => {}, options: ScriptOptions = {}): AgentEvent[] {
  const script = new Script({ runId: newRunId(), ...options });
  script.begin().turn({ model: "m-1" }).message("Hello, ", "world.");
  addEvents(script);
  return script.endTurn().end().events;
}

export async function recordedRun(log: Log, options: Partial<RecorderOptions> = {}): Promise<string> {
  const { run_ids } = await recordRun(sourceOf(shortRun()), new Recorder({ log, ...options }));
  return run_ids[0] as string;
}

export async function* sourceOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
