import type { AgentEvent } from "@spoor/protocol";
import { prefixed } from "@spoor/protocol/ids";
import type { Answer } from "../../agents/machine.ts";
import type { WireLine } from "../../assemble/wire-line.ts";
import type { BudgetNotice } from "../../run/budget-meter.ts";
import type { AnswerOutcome, PendingInteraction } from "../../run/interaction-channel.ts";
import type { ObservedRun, RunObserver, RunStart, UserInput } from "../../run/observer.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { RecorderLog } from "../recorder/recorder-log.ts";
import type { RecordingError } from "../recorder/recording-error.ts";
import type { Recording } from "../recording/recording.ts";
import type { DecidedElsewhere, Door, ToldElsewhere } from "./door.ts";
import type { Judge, RuleOptions } from "./rules.ts";

/** How a run is executed besides its own options. */
export interface ExecutionOptions {
  /** Where the run is recorded. */
  recording: Pick<Recording, "recorder" | "started">;
  /** The log of the recording, if the run can be answered and stopped from other processes. */
  log?: RecorderLog;
  /** The rules that decide about questions of the agent before a person is asked. Absent: every question is asked. */
  rules?: RuleOptions;
  /** Who answers in this process, if the answer names nobody else. */
  by?: string;
  /**
   * What happens if the run cannot be recorded: `stop` (the default) ends the run, `continue` continues it without recording.
   */
  ifUnrecorded?: "stop" | "continue";
  /** Called once if the run cannot be recorded to its end. */
  onFailure?(failure: RecordingError): void;
  /** Called when somebody in another process has decided an approval. */
  onDecided?(decided: DecidedElsewhere): void;
  /** Called when somebody in another process has stopped the run or let it go on. */
  onTold?(told: ToldElsewhere): void;
  /** Called when the run has ended, before its result resolves. */
  onEnd?(): Promise<unknown>;
}

/**
 * Executes one run of an agent: joins the run with its recording and, if the log can be reached from other processes, with
 * the commands that come from there. It is the observer of the run.
 */
export class Execution implements RunObserver {
  readonly #run: ObservedRun;
  readonly #options: ExecutionOptions;
  /** The way in for commands; open once the run is durable. */
  #door: Promise<Door | undefined> | undefined;
  #openDoor: Door | undefined;
  #isStarted = false;
  #judge: Promise<Judge> | undefined;
  /** Decides about the agent's questions by rules. Absent if none hold. */
  readonly judge?: Judge;

  constructor(run: ObservedRun, options: ExecutionOptions) {
    this.#run = run;
    this.#options = options;
    this.#recorder.onFailure = (failure) => this.#onFailure(failure);
    if (options.rules) this.judge = async (question) => (await this.#judge)?.(question) ?? { decision: "ask" };
  }

  get #recorder(): Recorder {
    return this.#options.recording.recorder;
  }

  async onStart(start: RunStart): Promise<void> {
    const { recording, rules, ifUnrecorded = "stop" } = this.#options;
    if (rules && start.isGated) {
      this.#judge = import("./rules.ts").then(({ createJudge }) => createJudge(rules, start, this.#recorder));
    }
    // The rules must be read before the agent can change their files.
    await Promise.all([this.#recorder.onStart(start), this.#judge]);
    // Throwing the error keeps the agent from starting.
    if (this.#recorder.failure && ifUnrecorded === "stop") throw this.#recorder.failure;
    this.#isStarted = true;
    recording.started();
    void this.#enter();
  }

  onUserInput(input: UserInput): void {
    this.#recorder.onUserInput(input, this.#openDoor?.commandOf(input));
  }

  onEvent(event: AgentEvent): void {
    this.#recorder.onEvent(event);
    if (isDoorEvent.has(event.type)) void this.#enter()?.then((door) => door?.onEvent(event));
  }

  onBudget(notice: BudgetNotice): void {
    this.#recorder.onBudget(notice);
  }

  onLine(line: WireLine): void {
    this.#recorder.onLine(line);
  }

  drained(): Promise<void> | undefined {
    return this.#recorder.drained();
  }

  written(): Promise<void> {
    return this.#recorder.written();
  }

  /** Stores an answer that is given in this process like one that comes from elsewhere, so that the first one wins. */
  async decide(question: PendingInteraction, answer: Answer, by: string | undefined): Promise<AnswerOutcome> {
    await this.#recorder.written();
    const door = await this.#enter();
    if (door && !this.#recorder.failure) return door.decide(question, answer, by ?? this.#options.by);
    this.#run.control?.deliver(question.id, answer);
    return { won: true, decision: answer.granted ? "approved" : "rejected" };
  }

  async onEnd(): Promise<void> {
    await this.#recorder.written();
    // A log that cannot be reached has no open commands to refuse.
    await (await this.#door)?.close().catch(() => {});
    await this.#options.onEnd?.();
  }

  /** Loaded when the run has started: until then it would only delay the agent. */
  #enter(): Promise<Door | undefined> | undefined {
    const { log } = this.#options;
    const { control } = this.#run;
    if (!log || !control || !this.#isStarted) return undefined;
    this.#door ??= import("./door.ts").then(({ Door }) => {
      const { onDecided, onTold } = this.#options;
      const listeners = { ...(onDecided && { onDecided }), ...(onTold && { onTold }) };
      const run_id = prefixed("run", this.#run.runId);
      this.#openDoor = new Door({ log, control, recorder: this.#recorder, run_id, ...listeners });
      return this.#openDoor;
    });
    return this.#door;
  }

  #onFailure(failure: RecordingError): void {
    const { ifUnrecorded = "stop", onFailure } = this.#options;
    onFailure?.(failure);
    if (this.#isStarted && ifUnrecorded === "stop") this.#run.abort();
  }
}

/** The events that the door follows. */
const isDoorEvent: ReadonlySet<AgentEvent["type"]> = new Set(["session_start", "approval_request", "input_required"]);
