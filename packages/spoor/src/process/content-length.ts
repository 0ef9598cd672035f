import { createByteBuffer, safeEnd, toBuffer } from "./byte-buffer.ts";
import { type Cutter, type CutterOptions, cut, MAX_TEXT_BYTES, type Piece } from "./stream-cutter.ts";

/**
 * Reads messages framed as `Content-Length: N`, an empty line and N bytes, as language servers send them. Other text between
 * messages is yielded as a piece marked `stray`. A message above `maxBytes` is yielded in pieces of about `pieceBytes`; all
 * but the last are marked `continues`.
 */
export function frames(input: AsyncIterable<Uint8Array | string>, options?: CutterOptions): AsyncGenerator<Piece> {
  return cut(input, createFrameCutter(options));
}

/** Frames a message for sending. */
export function frameText(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export function createFrameCutter({ maxBytes = MAX_TEXT_BYTES, pieceBytes = maxBytes }: CutterOptions = {}): Cutter {
  const limit = Math.max(Math.min(pieceBytes, maxBytes), 8);
  const pending = createByteBuffer(maxBytes);
  /** The announced length of the current message, minus the bytes already yielded in pieces. */
  let announced: number | undefined;
  let inBody = false;
  let isInPieces = false;

  const take = (): string => pending.take().toString();

  const cutOff = (): Piece => {
    const bytes = pending.take();
    const end = safeEnd(bytes);
    const text = bytes.toString("utf8", 0, end);
    pending.append(bytes.subarray(end));
    announced = (announced ?? 0) - end;
    return { text, continues: true };
  };

  /** Reads one header line. Returns text that is not part of a header as a stray piece. */
  const readHeaderLine = (line: string): Piece[] => {
    if (line === "") {
      inBody = announced !== undefined;
      isInPieces = inBody && (announced ?? 0) > maxBytes;
      return [];
    }
    const at = line.toLowerCase().lastIndexOf(NAME);
    const digits = at === -1 ? "" : line.slice(at + NAME.length).trim();
    if (/^\d+$/.test(digits)) {
      announced = Number(digits);
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
        const bodyBytes = isInPieces ? Math.min(announced ?? 0, limit) : (announced ?? 0);
        const wanted = inBody ? bodyBytes - pending.length : newline === -1 ? MAX_HEADER_BYTES : newline + 1;
        pending.append(rest.subarray(0, wanted));
        rest = rest.subarray(wanted);

        if (newline !== -1) yield* readHeaderLine(take().replace(/\r?\n$/, ""));
        else if (!inBody && pending.length >= MAX_HEADER_BYTES) yield { text: take(), stray: true };
        if (inBody && pending.length === announced) {
          yield { text: take() };
          inBody = false;
          announced = undefined;
        } else if (inBody && isInPieces && pending.length >= limit) yield cutOff();
      }
    },
    *end() {
      if (pending.length > 0) yield { text: take(), stray: true };
    },
  };
}

const LF = 0x0a;
const NAME = "content-length:";
/** Stray text without a newline is yielded at this size. */
const MAX_HEADER_BYTES = 64 * 1024;
