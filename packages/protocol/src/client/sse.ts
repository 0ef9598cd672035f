/** One dispatched event of a stream of server-sent events. */
export interface SseMessage {
  /** `message` when the frame had no name. */
  event: string;
  data: string;
  /** The last id of the stream, which may come from an earlier frame; empty before the first. */
  id: string;
}

/** An incremental parser for server-sent events. */
export interface SseParser {
  /** Takes the next bytes, split anywhere, and returns the completed messages. A message is complete after a blank line. */
  push(bytes: Uint8Array): SseMessage[];
  /** The wait between connections, if the stream asked for one. */
  readonly retryMs: number | undefined;
}

/**
 * Creates a parser that follows the HTML standard: lines end in CR, LF or CRLF, a byte order mark at the start is dropped,
 * and an id with NUL is ignored. It reads each byte once, however long a frame is and however it is split.
 *
 * @example
 * ```ts
 * import { createSseParser } from "@spoor/protocol/client";
 *
 * const parser = createSseParser();
 * const messages = parser.push(new TextEncoder().encode("id: 7\ndata: hello\n\n"));
 * console.log(messages); // [{ event: "message", data: "hello", id: "7" }]
 * ```
 */
export function createSseParser({ maxFrameLength = 64 * 1024 * 1024 } = {}): SseParser {
  // Drops the byte order mark, keeps code points together across chunks, and replaces invalid UTF-8 by U+FFFD.
  const decoder = new TextDecoder();
  let line = "";
  let dataLength = 0;
  let endedInCr = false;
  let data: string[] = [];
  let event = "";
  let id = "";
  let retryMs: number | undefined;
  let messages: SseMessage[] = [];

  return {
    push(bytes) {
      takeText(decoder.decode(bytes, { stream: true }));
      const completed = messages;
      messages = [];
      return completed;
    },
    get retryMs() {
      return retryMs;
    },
  };

  function takeText(text: string): void {
    if (text === "") return;
    let start = endedInCr && text.startsWith("\n") ? 1 : 0;
    endedInCr = text.endsWith("\r");
    let cr = text.indexOf("\r", start);
    let lf = text.indexOf("\n", start);
    while (cr !== -1 || lf !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      line += text.slice(start, end);
      check();
      if (line === "") dispatch();
      else takeField(line);
      line = "";
      start = end === cr && lf === cr + 1 ? end + 2 : end + 1;
      if (cr !== -1 && cr < start) cr = text.indexOf("\r", start);
      if (lf !== -1 && lf < start) lf = text.indexOf("\n", start);
    }
    line += text.slice(start);
    check();
  }

  /** A comment is a field without a name. */
  function takeField(whole: string): void {
    const colon = whole.indexOf(":");
    const name = colon === -1 ? whole : whole.slice(0, colon);
    const value = colon === -1 ? "" : whole.slice(whole.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    if (name === "data") {
      data.push(value);
      dataLength += value.length;
    } else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^[0-9]+$/.test(value)) retryMs = Number(value);
  }

  function dispatch(): void {
    if (data.length > 0) messages.push({ event: event || "message", data: data.join("\n"), id });
    data = [];
    event = "";
    dataLength = 0;
  }

  /** Only buffered text counts, so comments can continue for days. */
  function check(): void {
    if (dataLength + line.length > maxFrameLength) throw new FrameTooLarge(maxFrameLength);
  }
}

export class FrameTooLarge extends Error {
  constructor(limit: number) {
    super(`A frame is longer than ${limit} characters.`);
  }
}

declare const TextDecoder: new () => { decode(bytes: Uint8Array, options: { stream: true }): string };
