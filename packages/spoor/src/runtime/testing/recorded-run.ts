import { type AgentEvent, createUlidSource } from "@spoor/protocol";
// biome-ignore lint/style/noRestrictedImports: stories are for tests and no part of the published package.
import { Script, type ScriptOptions } from "../../../../protocol/src/testing/script.ts";
import type { Log } from "../../log/log.ts";
import { recordRun } from "../record-run.ts";
import { Recorder, type RecorderOptions } from "../recorder/index.ts";

export const newRunId = createUlidSource();

/** Tells a run of one turn: a message, and what else it is told to hold. */
export function shortRun(tell: (script: Script) => unknown = () => {}, options: ScriptOptions = {}): AgentEvent[] {
  const script = new Script({ runId: newRunId(), ...options });
  script.begin().turn({ model: "m-1" }).message("Hello, ", "world.");
  tell(script);
  return script.endTurn().end().events;
}

export async function recordedRun(log: Log, options: Partial<RecorderOptions> = {}): Promise<string> {
  const { run_ids } = await recordRun(sourceOf(shortRun()), new Recorder({ log, ...options }));
  return run_ids[0] as string;
}

export async function* sourceOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
