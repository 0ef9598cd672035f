import type { LogDraft } from "../../log/log.ts";
import type { FactChanges, RunFacts } from "../../log/records.ts";
import { ChangedFiles } from "./changed-files.ts";
import { factHandlers, newOutput } from "./fact-handlers.ts";
import { type Data, hasEnded, type Memory, openRequests } from "./fact-memory.ts";
import { nowByType, oneLine } from "./run-now.ts";
import { type Lead, leadOf } from "./run-state.ts";

/** A draft before it is stored, or a stored event. */
export type FoldedEvent = Pick<LogDraft, "type" | "timestamp"> & ({ json: string } | { data: Record<string, unknown> });

/**
 * Folds the events of one run into the facts of its row. The live commit and `spoor repair` both use it, so a list needs no
 * replay and a rebuilt row is the same. Only types that change a fact are parsed: a delta costs one look-up.
 *
 * Started from a row, it goes on with the row's counts. Without `past`, the fold of the events so far, it cannot know which
 * files these stand for, so a file that changes again counts once more.
 */
export class RunFactsFold {
  readonly #memory: Memory;
  /** The log stores no event with an earlier time than the one before it. */
  #latest = 0;

  constructor(row: RunFacts & { kind?: string } = {}, past?: RunFactsFold) {
    const { kind, ...facts } = row;
    const { files, isRetried = false, calls = 0 } = past ? past.#memory : {};
    this.#memory = {
      facts,
      kind,
      approvals: new Set(),
      questions: new Set(),
      unseen: row.pending ?? 0,
      files: new ChangedFiles(row, files),
      writes: new Map(past ? past.#memory.writes : []),
      hasStarted: row.worker_id !== undefined || row.status === "running" || (row.turns ?? 0) > 0,
      isRetried,
      calls,
    };
  }

  /** The facts after the events so far. */
  get facts(): Readonly<RunFacts> {
    return this.#memory.facts;
  }

  /** Folds events and returns what they change, or undefined. */
  add(events: readonly FoldedEvent[]): FactChanges | undefined {
    let changes: FactChanges | undefined;
    for (const event of events) {
      this.#latest = Math.max(this.#latest, event.timestamp);
      const plan = planOf(event.type);
      if (!plan) continue;
      for (const [name, value] of Object.entries(this.#step(plan, event))) {
        if (!put(this.#memory.facts, name, value)) continue;
        changes ??= {};
        Object.assign(changes, { [name]: value });
      }
    }
    return changes;
  }

  /** Takes over facts that another part of the program writes, such as an answer that another process has stored. */
  adopt(changes: FactChanges): void {
    const memory = this.#memory;
    for (const [name, value] of Object.entries(changes)) put(memory.facts, name, value);
    if (changes.pending === undefined || changes.pending === openRequests(memory)) return;
    memory.approvals.clear();
    memory.questions.clear();
    memory.unseen = changes.pending ?? 0;
  }

  #step({ type, handle, now, lead }: Plan, event: FoldedEvent): FactChanges {
    const memory = this.#memory;
    const wasOver = hasEnded(memory.facts);
    const data = "data" in event ? event.data : handle || now || lead?.reads ? (JSON.parse(event.json) as Data) : {};
    const changes: FactChanges = {};
    if (memory.questions.size > 0 && newOutput.has(type)) {
      memory.questions.clear();
      changes.pending = openRequests(memory);
    }
    Object.assign(changes, handle?.(memory, data, this.#latest));
    const after = withChanges(memory.facts, changes);
    changes.state = stateAfter(memory, after, type, lead, data);
    const line = now?.(data, memory);
    if (hasEnded(after)) changes.now = null;
    else if (!wasOver && line !== undefined) changes.now = oneLine(line);
    return changes;
  }
}

/** The changes that these drafts make in a run whose row is known. For commits outside the run's own process. */
export const factsAfter = (run: RunFacts & { kind?: string }, drafts: readonly FoldedEvent[]): FactChanges =>
  new RunFactsFold(run).add(drafts) ?? {};

interface Plan {
  type: string;
  handle: (typeof factHandlers)[string] | undefined;
  now: (typeof nowByType)[string] | undefined;
  lead: Lead | undefined;
}

const plans = new Map<string, Plan | undefined>();

/** What to do with events of a type. Undefined for types that change nothing. */
function planOf(type: string): Plan | undefined {
  if (plans.has(type)) return plans.get(type);
  const plan: Plan = { type, handle: factHandlers[type], now: nowByType[type], lead: leadOf(type) };
  const isNeeded = plan.handle !== undefined || plan.now !== undefined || plan.lead !== undefined;
  // Callers choose types of their own, so only the types that matter are kept.
  if (isNeeded) plans.set(type, plan);
  return isNeeded ? plan : undefined;
}

/** The same rules as in the view of a run, which describes the states. */
function stateAfter(
  memory: Memory,
  after: RunFacts,
  type: string,
  lead: Lead | undefined,
  data: Data,
): NonNullable<RunFacts["state"]> {
  const { state = "idle" } = after;
  if (state === "error" && type !== "turn.started") return "error";
  const leadsTo = lead?.to(memory, data);
  if (leadsTo === "error" || (leadsTo && lead?.isEnd)) return leadsTo;
  if (hasEnded(after)) return state;
  if (after.paused || after.status === "awaiting_approval" || (after.pending ?? 0) > 0) return "blocked";
  return leadsTo ?? (state === "blocked" ? (memory.hasStarted ? "working" : "idle") : state);
}

function withChanges(facts: RunFacts, changes: FactChanges): RunFacts {
  const after = { ...facts };
  for (const [name, value] of Object.entries(changes)) put(after, name, value);
  return after;
}

/** Sets or removes a fact, and returns whether it changed. An absent count is 0. */
function put(facts: RunFacts, name: string, value: unknown): boolean {
  const fields = facts as Record<string, unknown>;
  const before = fields[name];
  if (before === value || (before === undefined && (value === null || value === 0 || value === false))) return false;
  if (value === null) delete fields[name];
  else fields[name] = value;
  return true;
}
