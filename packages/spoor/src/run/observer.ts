import type { AgentEvent } from "@spoor/protocol";
import type { LaunchRequest } from "../agents/machine.ts";
import type { WireLine } from "../assemble/wire-line.ts";
import { callSafely, type OnThrow } from "./call-safely.ts";

/** Sees what a run's events do not tell: what it was started with, what was said to the agent, and every raw line. */
export interface RunObserver {
  /**
   * The run is about to start; before anything else is told. The agent's process starts once the returned promise
   * resolves, so an observer can first make the run durable. An error keeps the agent from starting.
   */
  onStart?(start: RunStart): void | PromiseLike<void>;
  /** Somebody's words are given to the agent. The first prompt is in `onStart`. */
  onSaid?(said: Said): void;
  /** An event of the run or of a subagent's, before anybody else gets it: what is said in answer to it comes after. */
  onEvent?(event: AgentEvent): void;
  /** A line of the agent's process, or to it; after a retry the lines of the next process follow the exit of the last. */
  onLine?(line: WireLine): void;
  /** What to wait for before the next line; `undefined` is nothing. */
  room?(): Promise<void> | undefined;
}

export interface RunStart {
  runId: string;
  agent: string;
  /** Name of the wire. */
  dialect: string;
  request: LaunchRequest;
  stream: "auto" | true | false;
  /** Where the agent's environment is taken from, and what is set besides. Holds secrets. */
  environment?: Readonly<Record<string, string | undefined>>;
}

export interface Said {
  via: "send" | "steer" | "queue" | "answer";
  text: string;
  /** The question it answers. */
  interactionId?: string;
}

/** An observer that cannot harm the run: `onThrow` is told what it throws. `onStart` is left out, for it may refuse. */
export function safeObserver(observer: RunObserver, onThrow: OnThrow): Required<Omit<RunObserver, "onStart">> {
  return {
    onSaid: (said) => callSafely(onThrow, observer, () => observer.onSaid?.(said)),
    onEvent: (event) => callSafely(onThrow, observer, () => observer.onEvent?.(event)),
    onLine: (line) => callSafely(onThrow, observer, () => observer.onLine?.(line)),
    room() {
      let wait: Promise<void> | undefined;
      callSafely(onThrow, observer, () => {
        wait = observer.room?.();
        return wait;
      });
      return wait?.catch(() => {});
    },
  };
}
