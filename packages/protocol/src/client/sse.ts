/** One dispatched event of a stream of server-sent events. */
export interface SseMessage {
  /** `message` when the frame had no name. */
  event: string;
  data: string;
  /** The last id the stream gave, be it by an earlier frame; empty before the first. */
  id: string;
}

export interface SseParser {
  /** Takes the next bytes, cut anywhere, and returns what they completed. What never gets its blank line never comes. */
  push(bytes: Uint8Array): SseMessage[];
  /** The wait between connections that the stream asked for. */
  readonly retryMs: number | undefined;
}

/**
 * Reads a stream as the HTML standard says: lines end in CR, LF or CRLF, a byte order mark at the very start is dropped,
 * an id with NUL is ignored. Each byte is looked at once, however long a frame is and however it is cut.
 */
export function createSseParser({ maxFrameLength = 64 * 1024 * 1024 } = {}): SseParser {
  // Drops the mark, keeps code points together across cuts, and puts U+FFFD for what is no UTF-8.
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

  /** Only what is held counts: a stream may go on in comments for days. */
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
