import type { Envelope } from "@spoor/protocol";
import { readEnvelopes } from "../log/envelopes.ts";
import type { Log } from "../log/log.ts";
import { ArtifactError } from "../runtime/artifacts/errors.ts";
import type { Continuation, TaskSpec } from "../runtime/specification/spec.ts";
import { specOf } from "../runtime/specification/spec-of.ts";
import { Conversation, type Entry } from "./conversation.ts";
import { readState } from "./provider-state.ts";

/** A conversation that a run begins with. */
export interface Beginning {
  entries: readonly Entry[];
  /** The number of its turns. */
  turns: number;
}

/** A conversation cannot be rebuilt: events or contents of it are gone. */
export class NotRebuildable extends Error {
  override readonly name = "NotRebuildable";
}

const nothing: Beginning = { entries: [], turns: 0 };

/** What a run begins with that continues no other: what was said elsewhere, if its task tells it. */
export function begunElsewhere({ history = [] }: Pick<TaskSpec, "history"> = {}): Beginning {
  const entries = history.map(({ role, text }): Entry => {
    if (role === "user") return { type: "user", text };
    return { type: "turn", turn: { index: 0, parts: [{ type: "text", text }], isKept: true, hasEnded: true } };
  });
  // Models refuse a conversation that the assistant begins.
  if (entries[0]?.type === "turn") entries.unshift({ type: "user", text: "(This conversation was begun elsewhere.)" });
  return { entries, turns: 0 };
}

/**
 * Rebuilds the conversation that a run goes on with, from the events of the runs before it and the contents that they name.
 *
 * @throws {NotRebuildable}
 */
export async function rebuildBefore(
  log: Log,
  directory: string,
  continues: Continuation | undefined,
  through?: number,
): Promise<Beginning> {
  if (!continues) return nothing;
  const { run_id, mode, turn } = continues;
  const run = await log.run(run_id);
  if (!run) throw new NotRebuildable(`The run ${run_id} is not in the log any more.`);
  const spec = await specOf(log, run);
  const before = spec?.continues
    ? await rebuildBefore(log, directory, spec.continues, run.prior_sequence)
    : begunElsewhere(spec);
  // A retry from the first turn begins as that run began.
  if (mode === "retry" && (turn ?? 1) === 1) return before;
  const conversation = new Conversation(before.entries);
  for await (const envelope of readEnvelopes(log, { run_id })) {
    if (through !== undefined && envelope.sequence > through) break;
    if (mode === "retry" && envelope.type === "turn.started" && envelope.data.turn_index === turn) break;
    refuseGap(envelope);
    conversation.add(envelope);
  }
  const entries = conversation.entries.filter((entry) => entry.type === "user" || entry.turn.hasEnded);
  await checkStates(log, directory, entries);
  return { entries, turns: before.turns + endedTurns(conversation) };
}

const endedTurns = ({ turns, openTurn }: Conversation): number => turns - (openTurn ? 1 : 0);

function refuseGap({ type, run_id }: Envelope): void {
  if (type === "gap.events_pruned" || type === "gap.events_lost") {
    throw new NotRebuildable(`Events of the run ${run_id} are gone.`);
  }
}

async function checkStates(log: Log, directory: string, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.type !== "turn" || entry.turn.state === undefined) continue;
    try {
      await readState(log, directory, entry.turn.state);
    } catch (error) {
      if (error instanceof ArtifactError || error instanceof SyntaxError) throw new NotRebuildable(error.message);
      throw error;
    }
  }
}
