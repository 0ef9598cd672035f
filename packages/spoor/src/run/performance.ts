import type { AgentEvent } from "@spoor/protocol";
import type { Failure } from "../agents/kit/failures.ts";
import type { Answer } from "../agents/machine.ts";
import type { ProcessExit, WireEntry } from "../assemble/wire-line.ts";

/** What carries out a run: the processes of an agent, or Spoor's own loop. */
export interface Performance {
  /** Begins once `before` resolves. Resolves after the last event and never rejects. */
  start(before: PromiseLike<unknown> | undefined): Promise<ProcessExit>;
  /** The agent's id of its session, if it is another one than the first. */
  readonly laterSessionId: string | undefined;
  /** Returns the id that the agent gave to a question. */
  nativeId(interactionId: string): string | undefined;
  answer(nativeId: string, answer: Answer): void;
  /** Whether further prompts are taken. */
  readonly canFollow: boolean;
  /** Whether a further prompt is never held back: the run itself chooses its moment. */
  readonly followsAtOnce?: boolean;
  follow(prompt: string): void;
  endInput(): void;
  interrupt(): void;
  /** Ends the run, and everything that belongs to it. */
  stop(cause: Failure): void;
  stopGently(cause: Failure): void;
  setPaused(paused: boolean): void;
  warn(message: string): void;
}

/** What is told while a run is carried out. */
export type Performed =
  | { kind: "wire"; entry: WireEntry }
  | { kind: "events"; events: readonly AgentEvent[] }
  /** A rule answered a question. The agent is told once the returned promise resolves. */
  | { kind: "judged" }
  /** The agent waits for the next prompt. */
  | { kind: "idle" }
  /** The agent failed, and the next attempt starts after a while. */
  | { kind: "waiting" }
  | { kind: "restarted" };

/** The next line of the agent is not read before the returned promise resolves. */
export type OnPerformed = (event: Performed) => Promise<unknown> | undefined;
