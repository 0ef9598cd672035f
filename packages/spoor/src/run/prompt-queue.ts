import type { AgentEvent } from "@spoor/protocol";

/**
 * When a further prompt is given: at once; after the call of a tool; after a message; or when the agent is done with
 * what it was asked before. Whatever waits is given when it is done, if its own moment has not come.
 */
export type PromptMoment = "now" | "after-tool" | "after-response" | "next-turn";

/** A prompt, and how it was given to us. */
export interface FurtherPrompt {
  prompt: string;
  via: "send" | "steer" | "queue";
}

/** Prompts that wait for their moment, in the order they came. */
export class PromptQueue {
  readonly #waiting: (FurtherPrompt & { when: PromptMoment })[] = [];

  add(further: FurtherPrompt, when: PromptMoment): void {
    this.#waiting.push({ ...further, when });
  }

  /** The prompts whose moment this event is. */
  due(event: AgentEvent): FurtherPrompt[] {
    const moment = moments[event.type];
    if (moment === undefined || this.#waiting.length === 0) return [];
    const due = this.#waiting.filter(({ when }) => when === moment);
    for (const each of due) this.#waiting.splice(this.#waiting.indexOf(each), 1);
    return due;
  }

  /** The agent is done: what was meant for an earlier moment comes first. */
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
