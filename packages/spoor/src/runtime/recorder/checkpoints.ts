import type { AgentEvent } from "@spoor/protocol";
import { createUlidSource } from "@spoor/protocol/ids";
import type { OwnEvent } from "./opening.ts";

/**
 * Says when a run has a checkpoint: after a turn that ended by itself. Then the agent has kept the conversation, and
 * another run can go on from there. A turn counts when the next one begins, or when the run is done.
 */
export class Checkpoints {
  #hasFinishedTurn = false;

  /** The events to write before this one. `turns` is the number of turns so far, this one included. */
  before({ type }: AgentEvent, turns: number, isCompleted: boolean): OwnEvent[] {
    const isDue = this.#hasFinishedTurn && (type === "turn_start" || (type === "session_end" && isCompleted));
    if (type === "turn_start" || type === "turn_end") this.#hasFinishedTurn = type === "turn_end";
    const turn_index = type === "turn_start" ? turns - 1 : turns;
    return isDue ? [["run.checkpoint_saved", { checkpoint_id: newCheckpointId(), turn_index }]] : [];
  }
}

const newCheckpointId = createUlidSource({ prefix: "ckpt_" });
