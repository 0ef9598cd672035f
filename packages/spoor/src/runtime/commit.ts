import type { Effect } from "../log/effects.ts";
import type { AppendReceipt, Log, LogDraft, RunAppend } from "../log/log.ts";
import type { FactChanges } from "../log/records.ts";
import { effectsOf, type ProjectedRun } from "./projections/index.ts";
import { RunFactsFold } from "./projections/run-facts.ts";
import { draftOf } from "./redaction/drafts.ts";
import { createRedactor, type Redactor } from "./redaction/index.ts";

/** An event that the runtime itself writes. */
export type RunEvent = readonly [type: string, data: Record<string, unknown>];

/** Events of one run and the rows that change with them. */
export interface Commit extends Pick<RunAppend, "create" | "epoch" | "facts" | "when" | "effects" | "idempotency_key"> {
  run: ProjectedRun;
  at: number;
  events: readonly RunEvent[];
  /** Changes of rows before those that follow from the events, such as a new task; `effects` come after them. */
  before?: readonly Effect[];
  redactor?: Redactor;
  /** The facts of a run that exists already, which these events change. */
  fold?: RunFactsFold;
}

/** Appends events of the runtime together with the rows that follow from them, in one commit. */
export async function commitEvents(log: Pick<Log, "append">, commit: Commit): Promise<AppendReceipt> {
  const [receipt] = await log.append([appendOf(commit)]);
  if (!receipt) throw new Error("The log returned no receipt.");
  return receipt;
}

/** The same as a part of a larger commit. */
export function appendOf(commit: Commit): RunAppend {
  const { run, events, at, redactor = plain, before = [], effects = [], fold = newFold(commit), ...append } = commit;
  const drafts = events.map(([type, data]) => draftOf(type, at, data, redactor));
  return {
    ...append,
    run_id: run.run_id,
    drafts,
    facts: changedFacts(fold, drafts, commit.facts),
    effects: [...before, ...effectsOf(drafts, run), ...effects],
  };
}

const newFold = ({ create }: Commit): RunFactsFold | undefined => create && new RunFactsFold({ kind: create.kind });

/** What the events change in the run's row, and what the caller knows beside that. */
function changedFacts(fold: RunFactsFold | undefined, drafts: readonly LogDraft[], own: FactChanges = {}): FactChanges {
  const folded = fold?.add(drafts);
  fold?.adopt(own);
  return { ...folded, ...own };
}

const plain = createRedactor();
