import type { Envelope } from "@spoor/protocol";

/** The turns of a run that nothing can be added to. */
interface SettledTurns {
  /** Takes the next events of the run. Returns those, of earlier calls too, that belong to turns which are settled now. */
  settle(envelopes: readonly Envelope[]): readonly Envelope[];
  /** The sequence of the last event of these turns; -1 when there are none. */
  readonly end: number;
}

/**
 * Finds the turns of a run whose texts and outputs are complete, so that their pieces need not be read. A turn is settled
 * when the next one has begun and no call and no command of an earlier one still runs.
 */
export function createSettledTurns(): SettledTurns {
  const running = new Set<string>();
  let held: Envelope[] = [];
  let end = -1;
  return {
    settle(envelopes) {
      const settled: Envelope[] = [];
      for (const envelope of envelopes) {
        if (envelope.type === "turn.started" && running.size === 0) {
          for (const earlier of held) settled.push(earlier);
          end = settled.at(-1)?.sequence ?? end;
          held = [];
        }
        const step = steps[envelope.type];
        if (step?.starts) running.add(keyOf(step.starts, envelope));
        if (step?.ends) running.delete(keyOf(step.ends, envelope));
        held.push(envelope);
      }
      return settled;
    },
    get end() {
      return end;
    },
  };
}

type Work = "call" | "command";

const steps: Readonly<Record<string, { readonly starts?: Work; readonly ends?: Work }>> = {
  "tool.invoked": { starts: "call" },
  "tool.started": { starts: "call" },
  "tool.completed": { ends: "call" },
  "tool.failed": { ends: "call" },
  "tool.cancelled": { ends: "call" },
  "tool.timed_out": { ends: "call" },
  "policy.tool_blocked": { ends: "call" },
  "tool.shell.command": { starts: "command" },
  "tool.shell.exited": { ends: "command" },
};

const keyOf = (work: Work, { data }: Envelope): string => JSON.stringify([work, data.tool_call_id]);
