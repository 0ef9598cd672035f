import type { NewRun, RunExecutor, RunFacts, StoredRun } from "../../log/records.ts";
import { priorCost } from "../budgets/run-costs.ts";
import { lastModelStep } from "../projections/step-id.ts";
import type { Redactor } from "../redaction/index.ts";

/** What is known when a run begins. */
export interface Opening {
  at: number;
  model?: string | undefined;
  workspace_path?: string | undefined;
  /** The program that was named for the agent. May hold secrets. */
  agent_command?: readonly string[] | undefined;
  prompt?: string | undefined;
  attachments?: readonly { kind: string; mime?: string; name?: string; artifact_id?: string }[] | undefined;
  parent_run_id?: string | undefined;
  /** The run that this one continues. */
  earlier?: { run: StoredRun; reason: string } | undefined;
  /** The run whose tape was read again to make this one. */
  renormalized_from_run_id?: string | undefined;
  /** The cost of the runs that this one continues, if it is in the log already. */
  prior_cost_micros_usd?: number | undefined;
  /** How changes of files are found. */
  snapshots?: string | undefined;
}

/** The type and the data of an event that Spoor writes itself. */
export type OwnEvent = [type: string, data: Record<string, unknown>];

/** Writes events of Spoor's own about the current turn of a run. */
export function writeInTurn(
  writer: { readonly turns: number; own(event: OwnEvent, at: number): void },
  events: readonly OwnEvent[],
  at: number,
): void {
  for (const [type, data] of events) writer.own([type, { ...data, turn_index: writer.turns }], at);
}

export interface OpeningContext {
  create: NewRun;
  worker_id: string;
  executor?: RunExecutor | undefined;
  redactor: Redactor;
}

/** The first events of a run, and the facts of its row. */
export function openingOf(opening: Opening, context: OpeningContext): { events: OwnEvent[]; facts: RunFacts } {
  const { model, workspace_path, prompt, parent_run_id, earlier, renormalized_from_run_id, snapshots } = opening;
  const { agent_command } = opening;
  const { create, worker_id, executor, redactor } = context;
  const prior = earlier?.run.run_id ?? renormalized_from_run_id;
  const setup = { ...(model && { model }), ...(workspace_path && { workspace_path }) };
  const links = {
    ...(prior !== undefined && { prior_run_id: prior }),
    ...(renormalized_from_run_id !== undefined && { renormalized_from_run_id }),
  };
  const program = agent_command && { agent_command: wordsOf(agent_command, redactor) };
  const by = { worker_id, ...(executor && { executor }) };
  const title = prompt && titleOf(redactor.redact(prompt));
  return {
    events: [
      ["run.created", { kind: create.kind, agent: create.agent, status: "queued", ...setup, ...links, ...program }],
      ...(earlier ? [["run.resumed_from_event", resumedFrom(earlier)] satisfies OwnEvent] : []),
      ["run.started", { ...by, ...(snapshots && { snapshots }), ...(earlier && startedFrom(earlier.run)) }],
      ...promptEvents(opening),
    ],
    facts: {
      status: "running",
      ...by,
      ...links,
      ...(earlier && priorCost(earlier.run)),
      ...(model && { model: redactor.redact(model) }),
      ...(workspace_path && { workspace_path: redactor.redact(workspace_path) }),
      ...(title && { title }),
      ...(parent_run_id !== undefined && { parent_run_id }),
    },
  };
}

/** A secret may be recognised by the word before it, so a command that holds one is written, and then redacted, as one text. */
function wordsOf(command: readonly string[], { redact }: Redactor): readonly string[] {
  const line = command.join(" ");
  return redact(line) === line ? command : [line];
}

/** The user's prompt and its attachments. */
export function promptEvents({ prompt, attachments = [] }: Opening): OwnEvent[] {
  return [
    ...(prompt ? [["user.message", { turn_index: 0, text: prompt, via: "prompt" }] satisfies OwnEvent] : []),
    ...attachments.map((each): OwnEvent => ["user.attachment", { turn_index: 0, ...each }]),
  ];
}

const resumedFrom = ({ run, reason }: NonNullable<Opening["earlier"]>) => ({
  from_run_id: run.run_id,
  from_sequence: run.last_sequence,
  ...optional("from_step_id", lastModelStep(run)),
  reason,
  ...priorCost(run),
});

/** The cost of all runs that a run continues. */
export const priorCostOf = ({ earlier, prior_cost_micros_usd }: Opening): number =>
  (earlier ? priorCost(earlier.run).prior_cost_micros_usd : prior_cost_micros_usd) ?? 0;

const startedFrom = (run: StoredRun) => ({
  resume_from_run_id: run.run_id,
  ...optional("resume_from_step_id", lastModelStep(run)),
  resume_from_event_sequence: run.last_sequence,
});

const optional = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value });

/** Returns the first line that is not blank, cut to a length that fits in a list. */
function titleOf(prompt: string): string | undefined {
  const line = prompt
    .split("\n")
    .find((text) => text.trim() !== "")
    ?.trim();
  if (line === undefined) return undefined;
  return line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line;
}
