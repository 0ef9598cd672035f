import type { Block, DialectName, Failure, Stop, ToolBlock, Usage } from "../script.ts";

/** How one model API encodes a reply. Pure: a reply in, JSON out. */
export interface Dialect {
  name: DialectName;
  /** The server-sent events of a streamed reply. */
  stream(reply: Reply): Frame[];
  /** The body of an unstreamed reply. */
  whole(reply: Reply): unknown;
  /** The body of an HTTP error. */
  refuse(refusal: Failure & { status: number }): unknown;
}

/** An answer in which all defaults are filled in. */
export interface Reply {
  /** Unique in the server; a dialect derives all its ids from it. */
  id: string;
  model: string;
  blocks: readonly Block[];
  stop: Stop;
  usage: Usage;
  failure?: Failure | undefined;
}

export interface Frame {
  /** The name of the event; some dialects have none. */
  event?: string;
  /** Sent as JSON; a string is sent unchanged. */
  data: unknown;
  /** The event contains a piece of a block: `cutAfter` counts it and `pauseMs` follows it. */
  isDelta?: boolean;
}

/**
 * Splits a text into pieces of nearly equal length, never inside a character; at least one piece, even of an empty
 * text.
 */
export function pieces(text: string, count = 1): string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, count)));
  const starts = Array.from({ length: Math.max(1, Math.ceil(characters.length / size)) }, (_, index) => index * size);
  return starts.map((start) => characters.slice(start, start + size).join(""));
}

export function argumentsText(block: ToolBlock): string {
  return typeof block.input === "string" ? block.input : JSON.stringify(block.input);
}
