import type { AgentEvent } from "@spoor/protocol";

/**
 * When a further prompt is given to the agent: at once, after a tool call, after a message, or when the agent is done with
 * its prompt. A prompt whose moment does not come is given when the agent is done.
 */
export type PromptMoment = "now" | "after-tool" | "after-response" | "next-turn";

/** A prompt, and the method by which it was given. */
export interface FurtherPrompt {
  prompt: string;
  via: "send" | "steer" | "queue";
}

/** Gives prompts to the agent at their moment, in the order in which they came. */
export class PromptQueue {
  readonly #waiting: (FurtherPrompt & { when: PromptMoment })[] = [];
  readonly #give: (further: FurtherPrompt) => void;

  constructor(give: (further: FurtherPrompt) => void) {
    this.#give = give;
  }

  add(further: FurtherPrompt, when: PromptMoment): void {
    if (when === "now") this.#give(further);
    else this.#waiting.push({ ...further, when });
  }

  /** Gives the prompts whose moment comes with this event. */
  onEvent(event: AgentEvent): void {
    const moment = moments[event.type];
    if (moment === undefined || this.#waiting.length === 0) return;
    const due = this.#waiting.filter(({ when }) => when === moment);
    for (const each of due) this.#waiting.splice(this.#waiting.indexOf(each), 1);
    for (const each of due) this.#give(each);
  }

  /** Gives one prompt to an agent that is done. Prompts for an earlier moment come first. Returns false if none waits. */
  giveNext(): boolean {
    const early = this.#waiting.findIndex(({ when }) => when !== "next-turn");
    const [next] = this.#waiting.splice(Math.max(early, 0), 1);
    if (next) this.#give(next);
    return next !== undefined;
  }

  clear(): void {
    this.#waiting.length = 0;
  }
}

const moments: Partial<Record<AgentEvent["type"], PromptMoment>> = {
  tool_result: "after-tool",
  tool_error: "after-tool",
  mcp_tool_result: "after-tool",
  mcp_tool_error: "after-tool",
  message_stop: "after-response",
};
