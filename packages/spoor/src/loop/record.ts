import { type AgentEvent, createDecoder, type Envelope } from "@spoor/protocol";
import { createUlidSource, unprefixed } from "@spoor/protocol/ids";
import type { Signal } from "../agents/signal.ts";
import { type Assembler, createAssembler } from "../assemble/assembler.ts";
import type { Estimate } from "../assemble/prices.ts";
import type { Effect } from "../log/effects.ts";
import { findConfigFolders } from "../options/config/config-folders.ts";
import { readHooks } from "../options/config/configuration-files.ts";
import type { BudgetMeter } from "../run/budget-meter.ts";
import type { RewrittenModel } from "../run/govern.ts";
import { openChanges } from "../runtime/changes/open-changes.ts";
import type { RunEvent } from "../runtime/commit.ts";
import { openHooks } from "../runtime/hooks/open-hooks.ts";
import { INTERACTIVE_MS } from "../runtime/projections/approval-request.ts";
import { artifactEffects } from "../runtime/projections/artifacts.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import type { AddedFields } from "../runtime/recorder/content-source.ts";
import { Recorder } from "../runtime/recorder/recorder.ts";
import type { RunWriter } from "../runtime/recorder/run-writer.ts";
import { storedLines } from "../runtime/recorder/stored-lines.ts";
import { serverSecrets } from "./mcp/secrets.ts";
import { signalsOf } from "./restore.ts";

/** What a run is recorded with. */
export interface RecordOptions {
  /** When the time of the run is over. */
  endsAt?: number | undefined;
  execution: Execution;
  name: "worker" | "cli" | "process";
  environment: NodeJS.ProcessEnv;
  /** The stored events of the run. */
  stored: readonly Envelope[];
  /** What the user says first; empty if the conversation that the run continues holds it. */
  prompt: string;
  cwd: string;
  model: string;
  /** Set if a rule replaced the model. */
  rewrite: RewrittenModel | undefined;
  estimate: Estimate | undefined;
  budget: BudgetMeter | undefined;
}

/** Beside signals, what is told with them. */
export interface Told {
  fields?: AddedFields;
  /** Events that stand right before the end of the turn. */
  beforeTurnEnd?: readonly RunEvent[];
  /** Called with each event before it is written. */
  onEvent?(event: AgentEvent): void;
}

/**
 * The record of a run of the loop: signals become events in the assembler and envelopes in the recorder, as for every agent.
 * A run that was performed before is taken up where its stored events end.
 */
export class LoopRecord {
  readonly recorder: Recorder;
  readonly runId: string;
  readonly #assembler: Assembler;
  readonly #execution: Execution;

  private constructor({ execution, name, stored, estimate, environment, endsAt }: RecordOptions) {
    const { log, directory, claim, spec } = execution;
    const { run, epoch } = claim;
    this.#execution = execution;
    this.runId = unprefixed("run", run.run_id);
    const readLines = storedLines(log);
    this.recorder = new Recorder({
      ...{ log, executor: run.executor ?? name, is_own_loop: true, record_tape: false },
      ...(spec.record_thinking && { record_thinking: true }),
      ...(spec.record_tool_input && { record_tool_input: true }),
      ...(run.worker_id !== undefined && { worker_id: run.worker_id }),
      taken_up: { run, epoch, readLines },
      secrets: serverSecrets(spec, environment),
      approvals: {
        expiresInMs: spec.approval_timeout_ms ?? INTERACTIVE_MS,
        // No process could end a run that waits for a person.
        latest: endsAt,
        ...(spec.on_approval_timeout && { defaultAction: spec.on_approval_timeout }),
      },
      changes: (cwd) => openChanges({ cwd, directory, log, callsWait: true }),
      hooks: ({ configFolder: global, request: { cwd } }) =>
        global === undefined ? undefined : openHooks({ hooks: readHooks({ global }), cwd, readLines }),
    });
    this.#assembler = createAssembler({
      // Questions come before a command is told, so a command that is told begins.
      ...{ agent: run.agent, runId: this.runId, cwd: run.workspace_path ?? "", canAsk: false },
      ...{ stream: "auto", streams: { text: true, toolCalls: true, thinking: true } },
      ...(run.parent_run_id !== undefined && { parentRunId: unprefixed("run", run.parent_run_id) }),
      ...(estimate && { estimate: () => estimate }),
    });
    const decoder = createDecoder({ agent: run.agent });
    const events = stored.flatMap((envelope) => decoder.decode(envelope) ?? []);
    this.#assembler.accept(signalsOf(events));
  }

  /** Opens the record. The prompt is stored if it is not yet. */
  static async open(options: RecordOptions): Promise<LoopRecord> {
    const record = new LoopRecord(options);
    const { cwd, prompt, model, environment, execution, budget, rewrite } = options;
    const { global } = findConfigFolders({ cwd, environment });
    await record.recorder.onStart({
      runId: record.runId,
      agent: execution.claim.run.agent,
      dialect: "loop",
      request: { prompt, cwd, model, approve: "ask" },
      stream: "auto",
      isGated: true,
      configFolder: global,
      environment,
      ...(budget && { budget }),
      ...(rewrite && { rewrite }),
    });
    await record.flush();
    return record;
  }

  get isOver(): boolean {
    return this.#assembler.isEnded;
  }

  /** Tells what happened. Returns the events. */
  tell(signals: readonly Signal[], told: Told = {}): AgentEvent[] {
    const events = this.#assembler.accept(signals);
    this.#write(events, told);
    return events;
  }

  /** Ends the run: closes everything that is open. */
  end(): void {
    this.#write(this.#assembler.finish(), {});
  }

  /** Tells events of Spoor's own. */
  own(events: readonly RunEvent[]): void {
    for (const [type, data] of events) this.write((writer, at) => writer.own([type, { ...data }], at));
  }

  write(action: (writer: RunWriter, at: number) => void): void {
    this.recorder.write(this.#execution.claim.run.run_id, action);
  }

  /** Saves a checkpoint: from here the run can go on. */
  checkpoint(turn_index: number, state?: { sha256: string; effects: readonly Effect[] }): void {
    const data = { checkpoint_id: newCheckpointId(), turn_index, ...(state && { provider_state: state.sha256 }) };
    const drafts = [{ type: "run.checkpoint_saved", data }];
    const { run } = this.#execution.claim;
    const held = artifactEffects({ type: "run.checkpoint_saved", data }, run);
    this.write((writer, at) => writer.changes({ drafts, effects: [...(state?.effects ?? []), ...held] }, at));
  }

  /** Resolves when everything so far is durable. Throws if the log refused something. */
  async flush(): Promise<void> {
    await this.recorder.written();
    const { failure } = this.recorder;
    if (failure) throw failure.cause ?? failure;
  }

  #write(events: readonly AgentEvent[], { fields, beforeTurnEnd = [], onEvent }: Told): void {
    const added = fields && this.#withoutSecrets(fields);
    for (const event of events) {
      onEvent?.(event);
      if (event.type === "turn_end") this.own(beforeTurnEnd);
      this.recorder.add(event, added);
    }
  }

  /** Fields are added to envelopes whose secrets are already replaced. */
  #withoutSecrets<T>(value: T): T {
    if (typeof value === "string") return this.recorder.redact(value) as T;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.#withoutSecrets(each)) as T;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#withoutSecrets(each)])) as T;
  }
}

const newCheckpointId = createUlidSource({ prefix: "ckpt_" });
