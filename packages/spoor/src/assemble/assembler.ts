import type { AgentEvent } from "@spoor/protocol";
import { createUlidSource } from "@spoor/protocol/ids";
import type { Signal } from "../agents/signal.ts";
import type { HeldQuestion } from "./interactions.ts";
import { RunAssembler, type RunOptions } from "./run-assembler.ts";
import { sanitizeSignal } from "./sanitize-signal.ts";

export interface AssemblerOptions
  extends Pick<
    RunOptions,
    | (
        | "stream"
        | "streams"
        | "canAsk"
        | "approve"
        | "noSession"
        | "resumed"
        | "forkedFrom"
        | "priorTurns"
        | "parentRunId"
      )
    | ("estimate" | "estimateAt" | "hold")
  > {
  /** Whether the cost that the agent reports includes that of its subagents. */
  costIncludesSubagents?: boolean;
  agent: string;
  cwd?: string;
  /** Id of the first run; generated when absent. */
  runId?: string;
  now?: () => number;
  /** Returns a float in [0, 1), for ids. If it and the clock are fixed, the same input gives the same bytes. */
  random?: () => number;
  /** Whether events carry the raw line they come from. */
  debug?: boolean;
}

export interface Assembler {
  /** Returns the events of these signals, including those of subagents. `raw` is the line they come from. */
  accept(signals: readonly Signal[], raw?: string): AgentEvent[];
  /** Another process repeats the prompt. Its signals follow. */
  nextAttempt(): void;
  /** Call this when the input has ended. Closes everything that is still open. */
  finish(): AgentEvent[];
  /** Whether the last event of the current run was emitted. */
  readonly isEnded: boolean;
  /** Returns the id that the agent gave to an open question. */
  nativeId(interactionId: string): string | undefined;
}

/**
 * Assembles the signals of one agent process into a chain of runs: a prompt after the end of a run, or another native
 * session, opens the next run. Each subagent gets a separate run, which is linked to its parent.
 */
export function createAssembler(options: AssemblerOptions): Assembler {
  const { now = Date.now, random = Math.random } = options;
  const newId = createUlidSource({ now, random });
  let events: AgentEvent[] | undefined;
  let raw: string | undefined;
  let run = createRun({
    ...(options.runId !== undefined && { runId: options.runId }),
    ...(options.parentRunId !== undefined && { parentRunId: options.parentRunId }),
    ...(options.resumed && { resumed: true }),
    ...(options.forkedFrom !== undefined && { forkedFrom: options.forkedFrom }),
    ...(options.priorTurns && { priorTurns: options.priorTurns }),
  });
  const children = new Map<string, RunAssembler>();

  function createRun(more: Partial<RunOptions>): RunAssembler {
    return new RunAssembler(
      {
        runId: newId(),
        agent: options.agent,
        now,
        newId,
        cwd: options.cwd ?? "",
        stream: options.stream,
        streams: options.streams,
        canAsk: options.canAsk,
        ...(options.approve && { approve: options.approve }),
        ...(options.hold && { hold: options.hold }),
        ...(options.noSession && { noSession: true }),
        ...(options.estimate && { estimate: options.estimate }),
        ...(options.estimateAt && { estimateAt: options.estimateAt }),
        ...(options.debug && { raw: () => raw }),
        ...more,
      },
      (event) => {
        // Most lines give one event, and V8 allocates room for 17 elements when an empty array grows.
        if (events) events.push(event);
        else events = [event];
      },
    );
  }

  function accept(signal: Signal): void {
    if (signal.child !== undefined) {
      acceptChild(signal.child, signal);
      return;
    }
    if (opensNextRun(signal)) nextRun(signal);
    if (signal.kind === "spawn" && signal.tracked) adopt(signal.id);
    run.accept(signal);
    if (signal.kind === "spawnEnd") release(signal.id);
    if (run.session.ended) for (const id of [...children.keys()]) release(id);
  }

  function opensNextRun(signal: Signal): boolean {
    if (signal.kind === "prompt") return run.session.ended;
    return signal.kind === "session" && signal.id !== undefined && run.session.isOther(signal.id);
  }

  function nextRun(signal: Signal): void {
    const { turns } = run;
    const sessionId = run.session.id;
    for (const id of [...children.keys()]) release(id);
    run.finish();
    run = createRun(signal.kind === "prompt" && sessionId !== undefined ? { continues: { sessionId, turns } } : {});
  }

  function adopt(id: string): void {
    if (run.subagents.has(id)) return;
    const runId = newId();
    run.subagents.childRunIds.set(id, runId);
    const charged = options.costIncludesSubagents && { chargeTo: run.spending };
    const hold = options.hold && { hold: (question: HeldQuestion) => options.hold?.({ ...question, child: id }) };
    const child = createRun({ runId, parentRunId: run.runId, ...charged, ...hold });
    children.set(id, child);
  }

  function acceptChild(id: string, { child: _, ...signal }: Signal): void {
    const child = children.get(id);
    if (child) child.accept(signal as Signal);
    else run.note(JSON.stringify({ child: id, ...signal }));
  }

  function release(id: string): void {
    children.get(id)?.finish();
    children.delete(id);
  }

  const take = (): AgentEvent[] => {
    const taken = events ?? [];
    events = undefined;
    return taken;
  };

  return {
    accept(signals, line) {
      raw = line;
      for (const signal of signals) accept(sanitizeSignal(signal));
      return take();
    },
    nextAttempt: () => run.spending.retry(),
    finish() {
      raw = undefined;
      for (const id of [...children.keys()]) release(id);
      run.finish();
      return take();
    },
    get isEnded() {
      return run.session.ended;
    },
    // A subagent may ask too; its question is answered like any other.
    nativeId: (interactionId) =>
      [run, ...children.values()].map((each) => each.nativeId(interactionId)).find((id) => id !== undefined),
  };
}
