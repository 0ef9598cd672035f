import type { Envelope } from "@spoor/protocol";
import { followEnvelopes } from "../../log/envelopes.ts";
import type { EventQuery } from "../../log/feed/follow.ts";
import type { StoredRun } from "../../log/records.ts";
import { answerApproval } from "../../runtime/commands/answer-approval.ts";
import { carryOut } from "../../runtime/commands/carry-out.ts";
import { readRefusal } from "../../runtime/commands/command-error.ts";
import { recoverIfGone } from "../../runtime/commands/gone-executor.ts";
import type { CommandRequest } from "../../runtime/commands/send.ts";
import { handOverRun } from "../../runtime/queue/hand-over.ts";
import type { TaskContext } from "../../runtime/tasks/context.ts";
import { derivedSpecOf } from "../../runtime/tasks/derive-spec.ts";
import { createAndStart, followUp, readSpec, type TaskSpec } from "../../runtime/tasks/index.ts";
import { historyOf, newest, type Said, withHistory } from "./history.ts";

/** A prompt to an agent. */
export interface Question {
  text: string;
  /** The conversation it belongs to. Absent: it begins a new one. */
  task_id?: string;
  /** The id that a new conversation gets. Made if absent. */
  new_task_id?: string;
  /** The id of the run. Made if absent. */
  run_id?: string;
  /**
   * Agent (`loop` is our own), model, workspace and so on: all of it for a new conversation, and what has changed since for
   * one that goes on.
   */
  spec: Readonly<Record<string, unknown>>;
  /** What was said before elsewhere, for a new conversation. */
  history?: readonly Said[];
}

/**
 * Conversations with agents, for languages that talk back: a conversation is a task, and each prompt is a run of it. They are
 * in the log, so they go on when this process ends, and others can follow and answer the same runs.
 */
export interface Conversations {
  /**
   * Starts a run for a prompt, which a server or a process of its own performs. The agent continues its own session; one that
   * has none, or that joins a conversation of another agent, is told what was said before.
   *
   * @throws {TaskError} `run_active` if the last prompt of the conversation is still being answered.
   * @throws {ValidationError} if `spec` is wrong.
   */
  ask(question: Question): Promise<StoredRun>;
  /** The events of a run, from the first one or after a sequence, until the run is over. A lost run is ended as well. */
  follow(run_id: string, options?: Pick<EventQuery, "after" | "signal">): AsyncGenerator<Envelope>;
  /** Decides an approval. @throws {ApprovalError} if somebody was first. */
  decide(approval_id: string, decision: "approve" | "reject", comment?: string): Promise<void>;
  /** Tells a run something and waits until it was carried out. @throws {CommandError} */
  tell(run_id: string, kind: CommandRequest["kind"], body?: CommandRequest["body"]): Promise<void>;
}

const TOLD_MS = 30_000;
const LOOK_MS = 5_000;

/** @example const conversations = createConversations({ log, directory, by: "acp", kinds: [loop] }); */
export function createConversations(context: TaskContext): Conversations {
  const { log, by } = context;
  return {
    async ask(question) {
      const { run_id } = await startRun(context, question);
      return handOverRun(context, run_id);
    },
    async *follow(run_id, options = {}) {
      let isLooking = false;
      const look = setInterval(async () => {
        if (isLooking) return;
        isLooking = true;
        await lookAfter(context, run_id);
        isLooking = false;
      }, LOOK_MS);
      try {
        yield* followEnvelopes(log, { run_id, ...options });
      } finally {
        clearInterval(look);
      }
    },
    async decide(approval_id, decision, comment) {
      const { approval } = await answerApproval(log, { approval_id, decision, by, comment });
      // A run that had been parked goes on in another process.
      await handOverRun(context, approval.run_id);
    },
    async tell(run_id, kind, body) {
      const { command } = await carryOut(log, { run_id, kind, by, ...(body && { body }) }, { waitMs: TOLD_MS });
      if (command.outcome === "refused") throw readRefusal(command.detail);
      if (kind === "unpause") await handOverRun(context, run_id);
    },
  };
}

/**
 * Without a server nobody else notices that the process that performs a run was killed, or that the server ended that was to
 * perform it.
 */
async function lookAfter(context: TaskContext, run_id: string): Promise<void> {
  try {
    const run = await recoverIfGone(context.log, run_id);
    if (run?.status === "queued") await handOverRun(context, run_id);
  } catch {
    // The log is being closed, or it is busy: the next look comes soon.
  }
}

async function startRun(context: TaskContext, question: Question): Promise<StoredRun> {
  const { text, task_id, new_task_id, run_id, spec, history = [] } = question;
  const { log } = context;
  const task = task_id === undefined ? undefined : await log.task(task_id);
  const last = task?.latest_run_id === undefined ? undefined : await log.run(task.latest_run_id);
  if (!last) return createAndStart(context, begun(spec, text, history), { task_id: new_task_id, run_id });
  const changes = changesOf(spec);
  if (isSameAgent(last, changes) && (last.kind === "agent_loop" || last.native_session_id !== undefined)) {
    // A title belongs to the prompt of an earlier run.
    const told = { ...emptied(["title"]), ...changes };
    return followUp(context, "continue", last.run_id, { prompt: text, changes: told, run_id });
  }
  const before = await historyOf(log, last);
  if (isSameAgent(last, changes)) {
    const told = { ...changes, title: text.trim(), prompt: withHistory(before, text) };
    return followUp(context, "retry", last.run_id, { changes: told, run_id });
  }
  // The earlier specification is for another agent, and its fields may not apply, except where it works.
  const earlier = await derivedSpecOf(log, last);
  const where = earlier.workspace && { workspace: earlier.workspace };
  const whole = { ...emptied(Object.keys(earlier)), ...fresh({ ...where, ...spec }, text, before) };
  return followUp(context, "retry", last.run_id, { changes: whole, run_id });
}

/** The specification of the first run of a conversation: our own loop begins with what was said before. */
function begun(spec: Question["spec"], text: string, history: readonly Said[]): TaskSpec {
  if (history.length === 0 || spec.agent !== "loop") return fresh(spec, text, history);
  return readSpec({ ...spec, prompt: text, history: newest(history) });
}

/** The specification of a run whose agent is told what was said before. */
function fresh(spec: Question["spec"], text: string, history: readonly Said[]): TaskSpec {
  return readSpec({ ...(history.length > 0 && { title: text.trim() }), ...spec, prompt: withHistory(history, text) });
}

/** Names our own loop by its kind, as specifications do. */
function changesOf({ agent, ...rest }: Question["spec"]): Partial<TaskSpec> {
  if (agent === undefined) return rest;
  return agent === "loop" ? { ...rest, kind: "agent_loop" } : { ...rest, kind: "agent", agent: String(agent) };
}

const isSameAgent = (run: StoredRun, { kind = run.kind as TaskSpec["kind"], agent }: Partial<TaskSpec>): boolean =>
  kind === run.kind && (agent === undefined || agent === run.agent);

/** These fields as undefined, so that those of an earlier specification do not stay. */
function emptied(names: readonly string[]): Partial<TaskSpec> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
