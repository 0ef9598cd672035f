import { type Failure, internalError } from "../agents/kit/failures.ts";
import type { Answer } from "../agents/machine.ts";
import type { OnThrow } from "./call-safely.ts";
import type { AnswerOutcome, PendingInteraction } from "./interaction-channel.ts";
import type { SafeObserver } from "./observer.ts";

export interface AnswersHost {
  observer: SafeObserver | undefined;
  onThrow: OnThrow;
  isPaused(): boolean;
  /** Returns the id that the agent gave to a question; undefined if the agent did not ask it. */
  nativeId(interactionId: string): string | undefined;
  /** Writes the answer to the agent. */
  give(nativeId: string, answer: Answer): void;
  /** The agent was told no: by somebody, or because nobody answered in time. */
  onRefused(reason: string, isTimeout: boolean): void;
}

/** Brings answers to the agent: after they are stored, if the run is recorded, and not while the run is paused. */
export class Answers {
  readonly #host: AnswersHost;
  /** Answers that were given while the run was paused: nothing may start before it is resumed. */
  #held: { id: string; answer: Answer; isTimeout: boolean }[] = [];

  constructor(host: AnswersHost) {
    this.#host = host;
  }

  /** Somebody in this process answers. */
  async respond(question: PendingInteraction, answer: Answer, by: string | undefined): Promise<AnswerOutcome> {
    const { observer, onThrow } = this.#host;
    if (question.type === "approval" && observer?.decide) {
      try {
        return await observer.decide(question, answer, by);
      } catch (error) {
        onThrow(error, observer);
        // An answer that could not be stored must not start anything.
        const refusal = { granted: false, text: "The answer could not be stored, so it counts as a refusal." };
        this.deliver(question.id, refusal);
        return { won: true, decision: "rejected" };
      }
    }
    this.deliver(question.id, answer);
    const decision = question.type === "input" ? "answered" : answer.granted ? "approved" : "rejected";
    return { won: true, decision, ...(by !== undefined && { by }) };
  }

  /** Gives the agent an answer that counts. */
  deliver(id: string, answer: Answer, isTimeout = false): void {
    const { observer, isPaused, nativeId, give, onRefused } = this.#host;
    if (isPaused()) {
      this.#held.push({ id, answer, isTimeout });
      return;
    }
    const native = nativeId(id);
    if (native === undefined) return;
    const { granted, text } = answer;
    // The reason of a denial is in the event of the denial.
    const isText = granted && text !== undefined;
    if (isText) observer?.onUserInput({ via: "answer", text, interactionId: id });
    if (isText && observer?.written) void observer.written().then(() => give(native, answer));
    else give(native, answer);
    if (!granted) onRefused(text ?? "", isTimeout);
  }

  /** The run goes on after a pause. */
  resume(): void {
    for (const { id, answer, isTimeout } of this.#held.splice(0)) this.deliver(id, answer, isTimeout);
  }

  /** The process that asked is gone. */
  clear(): void {
    this.#held = [];
  }
}

/** Why a run ends that must not go on without what was refused. */
export const refusal = (reason: string, isTimeout: boolean): Failure =>
  isTimeout
    ? internalError("Nobody answered an approval in time, and the run must not go on without it.", "APPROVAL_TIMED_OUT")
    : internalError(
        `An action was refused, and the run must not go on without it${reason === "" ? "." : `: ${reason}`}`,
        "APPROVAL_REJECTED",
      );
