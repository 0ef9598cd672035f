import { createRunFold, type ShellView } from "@spoor/protocol";
import type { SpoorClient } from "@spoor/protocol/client";

/** What a command printed. */
export type LoadedOutput = Pick<ShellView, "head" | "headBytes" | "tail" | "tailBytes" | "omittedBytes">;

/** Where a command is in its run. */
export interface CommandPlace {
  /** The first event of the command or of its call, as the timeline of the view says. */
  readonly sequence: number;
  /** Which command of its call it is. */
  readonly index?: number;
}

const types = ["tool.shell.command", "tool.shell.output_chunk", "tool.shell.exited"] as const;

/** Reads the output of one command of a run. Returns undefined when there is no such command. */
export async function loadOutput(
  events: Pick<SpoorClient["events"], "list">,
  runId: string,
  toolCallId: string | undefined,
  { sequence, index = 0 }: CommandPlace,
  signal?: AbortSignal,
): Promise<LoadedOutput | undefined> {
  const fold = createRunFold();
  let ends = 0;
  const query = { after: sequence - 1, event_type: types, limit: 500, signal };
  reading: for await (const { data } of events.list(runId, query)) {
    for (const envelope of data) {
      // Other commands may run at the same time.
      if (envelope.data.tool_call_id !== toolCallId) continue;
      fold.fold(envelope);
      if (envelope.type === "tool.shell.exited") ends += 1;
      if (ends > index) break reading;
    }
  }
  return fold.snapshot().shells[index];
}
