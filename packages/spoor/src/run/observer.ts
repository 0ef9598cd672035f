import type { AgentEvent } from "@spoor/protocol";
import type { LaunchRequest } from "../agents/machine.ts";
import type { WireLine } from "../assemble/wire-line.ts";
import { callSafely, type OnThrow } from "./call-safely.ts";

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
  /** A line from or to the agent's process. After a retry, the lines of the next process follow the exit of the last. */
  onLine?(line: WireLine): void;
  /** Backpressure: the next line is read once the returned promise resolves. */
  drained?(): Promise<void> | undefined;
  /** The run has ended. Its result resolves once the returned promise has settled. */
  onEnd?(): void | PromiseLike<void>;
}

/** The part of a run that its observer may read and control. */
export interface ObservedRun {
  readonly runId: string;
  abort(): void;
}

/**
 * Returns one observer that forwards every call to all of these. An error of one `onStart` keeps the agent from starting.
 */
export function joinObservers(observers: readonly RunObserver[]): RunObserver | undefined {
  if (observers.length < 2) return observers[0];
  const waits = async (promises: readonly (void | PromiseLike<void> | undefined)[]): Promise<void> => {
    await Promise.all(promises);
  };
  return {
    onStart: (start) => waits(observers.map((observer) => observer.onStart?.(start))),
    onUserInput: (input) => observers.forEach((observer) => void observer.onUserInput?.(input)),
    onEvent: (event) => observers.forEach((observer) => void observer.onEvent?.(event)),
    onLine: (line) => observers.forEach((observer) => void observer.onLine?.(line)),
    drained() {
      const waiting = observers.flatMap((observer) => observer.drained?.() ?? []);
      return waiting.length > 0 ? waits(waiting) : undefined;
    },
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
  /** The caller's environment and the variables set for the agent. Holds secrets. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** A text that a user gives to the agent while it runs. */
export interface UserInput {
  via: "send" | "steer" | "queue" | "answer";
  text: string;
  /** The question that an `answer` answers. */
  interactionId?: string;
}

/**
 * Wraps an observer so that its errors go to `onThrow` and cannot harm the run. `onStart` is not wrapped, because it may
 * throw.
 */
export function safeObserver(observer: RunObserver, onThrow: OnThrow): Required<Omit<RunObserver, "onStart">> {
  return {
    onUserInput: (input) => callSafely(onThrow, observer, () => observer.onUserInput?.(input)),
    onEvent: (event) => callSafely(onThrow, observer, () => observer.onEvent?.(event)),
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
