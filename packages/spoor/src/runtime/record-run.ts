import type { AgentEvent } from "@spoor/protocol";
import type { Recorded, Recorder } from "./recorder/recorder.ts";

export interface RunSource extends AsyncIterable<AgentEvent> {
  abort?(): void;
}

/**
 * Records a run as it goes. Whoever reads the log sees an event once it is durable, and a disk that is slow slows the
 * agent. When the log refuses, the run is ended, or goes on unrecorded; either way this resolves once it is over.
 */
export async function recordRun(
  source: RunSource,
  recorder: Recorder,
  { ifUnrecorded = "abort" }: { ifUnrecorded?: "abort" | "go_on" } = {},
): Promise<Recorded> {
  if (ifUnrecorded === "abort") {
    const told = recorder.onFailure;
    recorder.onFailure = (failure) => {
      told?.(failure);
      source.abort?.();
    };
  }
  try {
    for await (const event of source) {
      if (!recorder.isObserving) recorder.add(event);
      const room = recorder.room();
      if (room) await room;
    }
  } catch (error) {
    await recorder.close();
    throw error;
  }
  return recorder.close();
}
