import { createUlidSource } from "../../packages/protocol/src/index.ts";
import { Script } from "../../packages/protocol/testing/script.ts";
import type { WireLine } from "../../packages/spoor/src/assemble/wire-line.ts";
import type { Recorder } from "../../packages/spoor/src/runtime/recorder/recorder.ts";

/** The contents of a run. Every channel adds its part; then the run is played to a recorder. */
export interface Stage {
  script: Script;
  lines: WireLine[];
  prompts: string[];
  environment: Record<string, string>;
  /** Messages that users send to the agent while it works. */
  userMessages: string[];
  /** The bodies of events that callers post. */
  posted: object[];
}

const newRunId = createUlidSource();

export function createStage(): Stage {
  const script = new Script({ runId: newRunId(), startAt: Date.now() });
  script.begin().turn({ model: "m-1" });
  return { script, lines: [], prompts: [], environment: {}, userMessages: [], posted: [] };
}

/** Records the run and returns its id. */
export async function play(
  { script, lines, prompts, environment, userMessages }: Stage,
  recorder: Recorder,
): Promise<string> {
  script.endTurn();
  const { events } = script;
  const { runId, agent } = events[0] as (typeof events)[number];
  const request = { prompt: prompts.join("\n\n"), cwd: "/home/dev/app", approve: "ask" } as const;
  await recorder.onStart({ runId, agent, dialect: "stream-json", stream: "auto", request, environment });
  for (const event of events) recorder.add(event);
  for (const text of userMessages) recorder.onUserInput({ via: "steer", text });
  for (const line of lines) recorder.onLine(line);
  for (const event of script.end().events.slice(events.length)) recorder.add(event);
  const { run_ids, failure } = await recorder.close();
  if (failure) throw failure;
  return run_ids[0] as string;
}
