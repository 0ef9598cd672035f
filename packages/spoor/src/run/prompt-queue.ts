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

/** Prompts that wait for their moment, in the order in which they were given. */
export class PromptQueue {
  readonly #waiting: (FurtherPrompt & { when: PromptMoment })[] = [];

  add(further: FurtherPrompt, when: PromptMoment): void {
    this.#waiting.push({ ...further, when });
  }

  /** Removes and returns the prompts whose moment comes with this event. */
  due(event: AgentEvent): FurtherPrompt[] {
    const moment = moments[event.type];
    if (moment === undefined || this.#waiting.length === 0) return [];
    const due = this.#waiting.filter(({ when }) => when === moment);
    for (const each of due) this.#waiting.splice(this.#waiting.indexOf(each), 1);
    return due;
  }

  /** Removes and returns the next prompt for an agent that is done; prompts for an earlier moment come first. */
  next(): FurtherPrompt | undefined {
    const early = this.#waiting.findIndex(({ when }) => when !== "next-turn");
    return this.#waiting.splice(Math.max(early, 0), 1)[0];
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
