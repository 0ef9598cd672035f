import type { ZotBlock, ZotEvent } from "../zot-events.ts";

/** A message as `get_messages` lists it. */
export interface ZotMessage {
  readonly content: readonly ZotBlock[];
  readonly role: "user" | "assistant" | "tool";
  readonly time: string;
}

/** What was said since the process began or was cleared. */
export interface Transcript {
  readonly messages: readonly ZotMessage[];
  /** Tokens and cost of all prompts, also of those that were cleared. */
  readonly usage: Readonly<Record<string, number>>;
  /** Takes an event of a prompt at a time, and returns it as the client gets it. */
  add(event: ZotEvent, time: string): ZotEvent;
  /** Another prompt begins. */
  begin(): void;
  clear(): void;
}

/** Collects messages and usage. zot adds up over all prompts of a process, while a run of ours is one prompt. */
export function createTranscript(): Transcript {
  let messages: ZotMessage[] = [];
  let before = nothing;
  let usage = nothing;

  function addResult({ content, id, is_error }: ZotEvent, time: string): void {
    const block = { call_id: id, content, is_error, type: "tool_result" } as const;
    const last = messages.at(-1);
    // All results of a turn are one message.
    if (last?.role !== "tool") messages.push({ content: [block], role: "tool", time });
    else messages[messages.length - 1] = { ...last, content: [...last.content, block] };
  }

  return {
    get messages() {
      return messages;
    },
    get usage() {
      return usage;
    },
    add(event, time) {
      const content = event.content as readonly ZotBlock[];
      if (event.type === "user_message") messages.push({ content, role: "user", time });
      if (event.type === "assistant_message") messages.push({ content, role: "assistant", time });
      if (event.type === "tool_result") addResult(event, time);
      if (event.type !== "usage") return event;
      usage = plus(before, event.cumulative as Record<string, number>);
      return { ...event, cumulative: usage };
    },
    begin() {
      before = usage;
    },
    clear() {
      messages = [];
    },
  };
}

const nothing: Readonly<Record<string, number>> = { cache_read: 0, cache_write: 0, cost_usd: 0, input: 0, output: 0 };

function plus(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(names.map((name) => [name, Number(((a[name] ?? 0) + (b[name] ?? 0)).toFixed(9))]));
}
