import { createByteBuffer, toBuffer } from "./byte-buffer.ts";
import { type Cutter, cut, MAX_TEXT_BYTES, type Piece } from "./cutter.ts";

export interface FrameOptions {
  /** A message announced as longer is refused. */
  maxBytes?: number | undefined;
}

/**
 * Messages framed by `Content-Length: N`, an empty line and N bytes, as language servers send them. Anything else
 * between messages comes as a piece marked `stray`. Throws at a length that is too large: what follows cannot be told
 * from the message.
 */
export function frames(input: AsyncIterable<Uint8Array | string>, options?: FrameOptions): AsyncGenerator<Piece> {
  return cut(input, createFrameCutter(options));
}

/** A message as it goes on the wire. */
export function frameText(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export function createFrameCutter({ maxBytes = MAX_TEXT_BYTES }: FrameOptions = {}): Cutter {
  const pending = createByteBuffer(maxBytes);
  /** What the header being read has announced. */
  let announced: number | undefined;
  let inBody = false;

  const take = (): string => pending.take().toString();

  /** Reads one line of a header; gives what in it is none. */
  const readHeaderLine = (line: string): Piece[] => {
    if (line === "") {
      inBody = announced !== undefined;
      return [];
    }
    const at = line.toLowerCase().lastIndexOf(NAME);
    const digits = at === -1 ? "" : line.slice(at + NAME.length).trim();
    if (/^\d+$/.test(digits)) {
      announced = Number(digits);
      if (announced > maxBytes) throw new Error(tooLong(digits, maxBytes));
      return at === 0 ? [] : [{ text: line.slice(0, at), stray: true }];
    }
    const isOtherHeader = at === -1 && /^[\w-]+:/.test(line);
    return isOtherHeader ? [] : [{ text: line, stray: true }];
  };

  return {
    *push(chunk) {
      let rest = toBuffer(chunk);
      while (rest.length > 0) {
        const newline = inBody ? -1 : rest.indexOf(LF);
        const wanted = inBody ? (announced ?? 0) - pending.length : newline === -1 ? MAX_HEADER_BYTES : newline + 1;
        pending.append(rest.subarray(0, wanted));
        rest = rest.subarray(wanted);

        if (newline !== -1) yield* readHeaderLine(take().replace(/\r?\n$/, ""));
        else if (!inBody && pending.length >= MAX_HEADER_BYTES) yield { text: take(), stray: true };
        if (inBody && pending.length === announced) {
          yield { text: take() };
          inBody = false;
          announced = undefined;
        }
      }
    },
    *end() {
      if (pending.length > 0) yield { text: take(), stray: true };
    },
  };
}

function tooLong(digits: string, maxBytes: number): string {
  return `A message of ${digits.slice(0, 20)} bytes was announced, and at most ${maxBytes} are taken. End the process, or raise maxBytes.`;
}

const LF = 0x0a;
const NAME = "content-length:";
/** Noise without a newline is given on at this size. */
const MAX_HEADER_BYTES = 64 * 1024;
