import type { AgentEvent } from "@spoor/protocol";
import type { Recorded, Recorder } from "./recorder/recorder.ts";

/** The events of a run, such as a `Run`. */
export interface RunSource extends AsyncIterable<AgentEvent> {
  abort?(): void;
}

/**
 * Records a run while it is running. Readers of the log see an event once it is durable, and a slow disk puts backpressure
 * on the agent. When the log refuses a write, the run is aborted, or continues without being recorded. Resolves when the run
 * is over.
 *
 * @example
 * const recorder = new Recorder({ log });
 * const run = client.run({ agent: "claude", prompt: "hello" }, recorder);
 * const { run_ids, failure } = await recordRun(run, recorder);
 * console.log(run_ids, failure?.message);
 */
export async function recordRun(
  source: RunSource,
  recorder: Recorder,
  { ifUnrecorded = "stop" }: { ifUnrecorded?: "stop" | "continue" } = {},
): Promise<Recorded> {
  if (ifUnrecorded === "stop") {
    const notify = recorder.onFailure;
    recorder.onFailure = (failure) => {
      notify?.(failure);
      source.abort?.();
    };
  }
  try {
    for await (const event of source) {
      if (!recorder.isObserving) recorder.add(event);
      const drained = recorder.drained();
      if (drained) await drained;
    }
  } catch (error) {
    await recorder.close();
    throw error;
  }
  return recorder.close();
}
