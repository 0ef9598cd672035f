import { SpoorError } from "../failures/errors.ts";
import type { Answers } from "./answers.ts";
import type { InteractionChannel } from "./interaction-channel.ts";
import type { RunControl } from "./observer.ts";

/** The part of a `Run` that its control uses. */
type ControlledRun = Omit<RunControl, "pending" | "deliver" | "answer" | "warn"> & {
  readonly interaction: InteractionChannel;
};

/** The control of a run for its executor. */
export function controlOf(run: ControlledRun, answers: Answers, warn: (message: string) => void): RunControl {
  return {
    get state() {
      return run.state;
    },
    get isEnded() {
      return run.isEnded;
    },
    get pending() {
      return run.interaction.pending;
    },
    deliver(id, answer, isTimeout) {
      run.interaction.settle(id);
      answers.deliver(id, answer, isTimeout);
    },
    answer(id, text) {
      const question = run.interaction.pending.find((each) => each.id === id);
      if (question?.type !== "input") {
        const message = `No question ${id} waits for an answer. It may have been answered already.`;
        throw new SpoorError("INTERACTION_NOT_FOUND", message);
      }
      run.interaction.settle(id);
      answers.deliver(id, { granted: true, text });
    },
    send: (prompt) => run.send(prompt),
    interrupt: () => run.interrupt(),
    abort: () => run.abort(),
    pause: () => run.pause(),
    unpause: () => run.unpause(),
    warn,
  };
}
