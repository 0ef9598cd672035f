import type { AgentEvent } from "@spoor/protocol";
import type { FileChange } from "./call.ts";

/** What the status line and the last line say about a run. It is added up from its events. */
export interface RunFacts {
  startedAt: number | undefined;
  lastAt: number;
  model: string | undefined;
  /** From 1; 0 before the first turn. */
  turn: number;
  inputTokens: number;
  outputTokens: number;
  usd: number;
  costSource: string | undefined;
  /** Questions that wait for a person. */
  waiting: Set<string>;
  files: Map<string, { additions: number; deletions: number; isNew: boolean }>;
  /** What the log says of all changes at the end, also of those that commands made. */
  changed: { files: number; additions: number; deletions: number } | undefined;
  /** Set when the agent was asked to stop. */
  isStopping: boolean;
}

export const newFacts = (): RunFacts => ({
  ...{ startedAt: undefined, lastAt: 0, model: undefined, turn: 0, inputTokens: 0, outputTokens: 0, usd: 0 },
  ...{ costSource: undefined, waiting: new Set(), files: new Map(), changed: undefined, isStopping: false },
});

/** What the log says of a run's changes; undefined if it knows of none. */
export const changesIn = (
  run: { files_changed?: number; additions?: number; deletions?: number } | undefined,
): RunFacts["changed"] =>
  run?.files_changed
    ? { files: run.files_changed, additions: run.additions ?? 0, deletions: run.deletions ?? 0 }
    : undefined;

/** Adds an event of the run itself, not of a subagent. */
export function addFacts(facts: RunFacts, event: AgentEvent): void {
  facts.startedAt ??= event.timestamp;
  facts.lastAt = event.timestamp;
  switch (event.type) {
    case "turn_start":
      facts.turn = Math.max(facts.turn, event.turnIndex + 1);
      facts.model = event.model ?? facts.model;
      break;
    case "token_usage":
      facts.inputTokens += event.inputTokens;
      facts.outputTokens += event.outputTokens;
      break;
    case "cost":
      facts.inputTokens = Math.max(facts.inputTokens, event.cost.inputTokens);
      facts.outputTokens = Math.max(facts.outputTokens, event.cost.outputTokens);
      facts.usd = event.cost.totalUsd;
      facts.costSource = event.cost.source ?? facts.costSource;
      break;
    case "approval_request":
    case "input_required":
      facts.waiting.add(event.interactionId);
      break;
    case "approval_granted":
    case "approval_denied":
      facts.waiting.delete(event.interactionId);
      break;
  }
}

/** A file that the run made counts the lines it has: no line was there before that could be removed. */
export function addFile({ files }: RunFacts, file: FileChange): void {
  const before = files.get(file.path) ?? { additions: 0, deletions: 0, isNew: file.isNew === true };
  const additions = before.additions + (file.additions ?? 0);
  const deletions = before.deletions + (file.deletions ?? 0);
  const { isNew } = before;
  const counts = isNew ? { additions: Math.max(0, additions - deletions), deletions: 0 } : { additions, deletions };
  files.set(file.path, { ...counts, isNew });
}
