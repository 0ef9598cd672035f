import type { AgentEvent } from "@spoor/protocol";
import type { Answer, LaunchRequest } from "../agents/machine.ts";
import type { HeldQuestion } from "../assemble/interactions.ts";
import type { EstimateMoment } from "../assemble/spending.ts";
import type { WireLine } from "../assemble/wire-line.ts";
import type { BudgetMeter, BudgetNotice } from "./budget-meter.ts";
import { callSafely, type OnThrow } from "./call-safely.ts";
import type { RewrittenModel } from "./govern.ts";
import type { AnswerOutcome, PendingInteraction } from "./interaction-channel.ts";
import type { RunState } from "./run-state.ts";

/**
 * Receives the events of a run and what they do not contain: how the run was started, the user's input, and every raw line.
 */
export interface RunObserver {
  /**
   * The run is about to start. This is the first call. The agent's process starts once the returned promise resolves, so
   * an observer can first make the run durable; a rejection keeps the agent from starting.
   */
  onStart?(start: RunStart): void | PromiseLike<void>;
  /** A user's text is given to the agent. The first prompt is in `onStart`. */
  onUserInput?(input: UserInput): void;
  /** An event of the run or of a subagent. The observer gets it before anybody can react to it. */
  onEvent?(event: AgentEvent): void;
  /** A part of the budget is spent. Called after the `onEvent` of the cost that spent it. */
  onBudget?(notice: BudgetNotice): void;
  /** A line from or to the agent's process. After a retry, the lines of the next process follow the exit of the last. */
  onLine?(line: WireLine): void;
  /** Backpressure: the next line is read once the returned promise resolves. */
  drained?(): Promise<void> | undefined;
  /** Resolves when everything so far is durable. The agent gets answers and further prompts only after that. */
  written?(): Promise<void>;
  /**
   * Somebody in this process answers a question. Stores the answer, and gives it to the agent through `RunControl.deliver`
   * unless somebody else was first. Absent: the agent gets the answer at once.
   */
  decide?(question: PendingInteraction, answer: Answer, by: string | undefined): Promise<AnswerOutcome>;
  /**
   * Decides about a question of the agent before anybody hears of it: allows or blocks the action, or lets a person be
   * asked. What it decides must be durable when the promise resolves. Absent: every question is asked.
   */
  judge?(question: HeldQuestion): Promise<QuestionVerdict>;
  /** The run has ended. Its result resolves once the returned promise has settled. */
  onEnd?(): void | PromiseLike<void>;
}

/** What Spoor's rules say about a question. The agent gets the reason of a block. */
export interface QuestionVerdict {
  decision: "allow" | "ask" | "block";
  reason?: string;
}

/** The part of a run that its observer may read and control. */
export interface ObservedRun {
  readonly runId: string;
  abort(): void;
  /** Absent if the observer may only watch. */
  readonly control?: RunControl;
}

/** What can be done to a run from outside its process. Methods throw a `SpoorError` if the run cannot do it. */
export interface RunControl {
  readonly state: RunState;
  readonly isEnded: boolean;
  readonly pending: readonly PendingInteraction[];
  /** Gives the agent a decision that is already stored. `isTimeout`: nobody answered in time. */
  deliver(interactionId: string, answer: Answer, isTimeout?: boolean): void;
  /** Answers a question of the agent with a text. */
  answer(interactionId: string, text: string): void;
  send(prompt: string): void;
  interrupt(): void;
  abort(): void;
  pause(): void;
  unpause(): void;
  /** Adds a warning to the events of the run. */
  warn(message: string): void;
}

/**
 * Returns one observer that forwards every call to all of these. An error of one `onStart` keeps the agent from starting.
 */
export function joinObservers(observers: readonly RunObserver[]): RunObserver | undefined {
  if (observers.length < 2) return observers[0];
  const waits = async (promises: readonly (void | PromiseLike<void> | undefined)[]): Promise<void> => {
    await Promise.all(promises);
  };
  const decider = observers.find(({ decide }) => decide);
  const judge = observers.find((observer) => observer.judge);
  return {
    onStart: (start) => waits(observers.map((observer) => observer.onStart?.(start))),
    onUserInput: (input) => observers.forEach((observer) => void observer.onUserInput?.(input)),
    onEvent: (event) => observers.forEach((observer) => void observer.onEvent?.(event)),
    onBudget: (notice) => observers.forEach((observer) => void observer.onBudget?.(notice)),
    onLine: (line) => observers.forEach((observer) => void observer.onLine?.(line)),
    drained() {
      const waiting = observers.flatMap((observer) => observer.drained?.() ?? []);
      return waiting.length > 0 ? waits(waiting) : undefined;
    },
    written: () => waits(observers.map((observer) => observer.written?.())),
    ...(decider && { decide: (...given) => decider.decide?.(...given) as Promise<AnswerOutcome> }),
    ...(judge && { judge: (question) => judge.judge?.(question) as Promise<QuestionVerdict> }),
    onEnd: () => waits(observers.map((observer) => observer.onEnd?.())),
  };
}

/** How a run is started. */
export interface RunStart {
  runId: string;
  agent: string;
  dialect: string;
  request: LaunchRequest;
  stream: "auto" | true | false;
  /** The program and its first arguments, if it is not the one on the PATH. May hold secrets. */
  command?: readonly string[];
  /** Whether rules decide about questions before a person is asked. */
  isGated?: boolean;
  /** Whether the agent asks only because rules or hooks decide: what they do not forbid is allowed. */
  isHeld?: boolean;
  /** The model that a rule replaced. */
  rewrite?: RewrittenModel;
  /** The folder of the user's configuration, which may define hooks. */
  configFolder?: string;
  /** Whether the files that calls change are looked for. Default: true. */
  snapshots?: boolean;
  /** The caller's environment and the variables set for the agent. Holds secrets. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** When tokens are priced, if the agent reports its cost itself. Needed to read the tape again. */
  estimates?: EstimateMoment;
  /** The budget. An observer that knows earlier runs of the task adds their cost to it (`carryOver`). */
  budget?: BudgetMeter;
}

/** A text that a user gives to the agent while it runs. */
export interface UserInput {
  via: "send" | "steer" | "queue" | "answer";
  text: string;
  /** The question that an `answer` answers. */
  interactionId?: string;
}

/** If the rules cannot be applied, a person is asked. */
async function judgeSafely(observer: RunObserver, question: HeldQuestion, onThrow: OnThrow): Promise<QuestionVerdict> {
  try {
    return (await observer.judge?.(question)) ?? { decision: "ask" };
  } catch (error) {
    onThrow(error, observer);
    return { decision: "ask" };
  }
}

/** An observer whose errors cannot harm the run. */
export type SafeObserver = Required<Omit<RunObserver, "onStart" | "decide" | "judge" | "written">> &
  Pick<RunObserver, "decide" | "judge" | "written">;

/**
 * Wraps an observer so that its errors go to `onThrow` and cannot harm the run. `onStart` is not wrapped, because it may
 * throw, and `decide` tells its error to the one who answers.
 */
export function safeObserver(observer: RunObserver, onThrow: OnThrow): SafeObserver {
  return {
    ...(observer.decide && { decide: (...given) => observer.decide?.(...given) as Promise<AnswerOutcome> }),
    ...(observer.judge && { judge: (question) => judgeSafely(observer, question, onThrow) }),
    ...(observer.written && { written: () => Promise.resolve(observer.written?.()).catch(() => {}) }),
    onUserInput: (input) => callSafely(onThrow, observer, () => observer.onUserInput?.(input)),
    onEvent: (event) => callSafely(onThrow, observer, () => observer.onEvent?.(event)),
    onBudget: (notice) => callSafely(onThrow, observer, () => observer.onBudget?.(notice)),
    onLine: (line) => callSafely(onThrow, observer, () => observer.onLine?.(line)),
    drained() {
      let wait: Promise<void> | undefined;
      callSafely(onThrow, observer, () => {
        wait = observer.drained?.();
        return wait;
      });
      return wait?.catch(() => {});
    },
    async onEnd() {
      try {
        await observer.onEnd?.();
      } catch (error) {
        onThrow(error, observer);
      }
    },
  };
}
