import { createUlidSource } from "../../packages/protocol/src/index.ts";
import { Script } from "../../packages/protocol/testing/script.ts";
import type { WireLine } from "../../packages/spoor/src/run/observer.ts";
import type { Recorder } from "../../packages/spoor/src/runtime/recorder/recorder.ts";

/** What a run is going to consist of: every channel adds its part, then it is played to a recorder. */
export interface Stage {
  script: Script;
  lines: WireLine[];
  prompts: string[];
  environment: Record<string, string>;
  /** What is said to the agent while it works. */
  said: string[];
  /** Bodies of events that callers add. */
  posted: object[];
}

const newRunId = createUlidSource();

export function createStage(): Stage {
  const script = new Script({ runId: newRunId(), startAt: Date.now() });
  script.begin().turn({ model: "m-1" });
  return { script, lines: [], prompts: [], environment: {}, said: [], posted: [] };
}

/** Records the run, and tells its id. */
export async function play({ script, lines, prompts, environment, said }: Stage, recorder: Recorder): Promise<string> {
  script.endTurn();
  const { events } = script;
  const { runId, agent } = events[0] as (typeof events)[number];
  const request = { prompt: prompts.join("\n\n"), cwd: "/home/dev/app", approve: "ask" } as const;
  await recorder.onStart({ runId, agent, dialect: "stream-json", stream: "auto", request, environment });
  for (const event of events) recorder.add(event);
  for (const text of said) recorder.onSaid({ via: "steer", text });
  for (const line of lines) recorder.onLine(line);
  for (const event of script.end().events.slice(events.length)) recorder.add(event);
  const { run_ids, failure } = await recorder.close();
  if (failure) throw failure;
  return run_ids[0] as string;
}
