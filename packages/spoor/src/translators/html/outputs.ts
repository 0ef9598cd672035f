import type { OutputPiece, ShellView } from "@spoor/protocol";

/** How much output of each command comes into the file: half of it from the beginning. */
const SHOWN_BYTES = 64 * 1024;

/** More is kept until secrets are replaced, because half of one at a cut would not be recognised. */
export const KEPT_OUTPUT_BYTES = 2 * SHOWN_BYTES;

/** Joins the pieces of an output, because a secret may be spread over several of them. */
export function withJoinedOutput(shell: ShellView): ShellView {
  if (shell.omittedBytes > 0) return { ...shell, head: joined(shell.head), tail: joined(shell.tail) };
  return { ...shell, head: joined([...shell.head, ...shell.tail]), tail: [] };
}

/** Cuts a joined output to what the file shows. */
export function withCutOutput(shell: ShellView): ShellView {
  const isWhole = shell.omittedBytes === 0;
  if (isWhole && sizeOf(shell.head) <= SHOWN_BYTES) return shell;
  const head = firstOf(shell.head, SHOWN_BYTES / 2);
  const tail = lastOf(isWhole ? shell.head : shell.tail, SHOWN_BYTES / 4);
  const [headBytes, tailBytes] = [sizeOf(head), sizeOf(tail)];
  const cutBytes = sizeOf(shell.head) + sizeOf(shell.tail) - headBytes - tailBytes;
  return { ...shell, head, headBytes, tail, tailBytes, omittedBytes: shell.omittedBytes + cutBytes };
}

function joined(pieces: readonly OutputPiece[]): OutputPiece[] {
  const runs: { stream: OutputPiece["stream"]; texts: string[] }[] = [];
  for (const { stream, text } of pieces) {
    const last = runs.at(-1);
    if (last?.stream === stream) last.texts.push(text);
    else runs.push({ stream, texts: [text] });
  }
  return runs.map(({ stream, texts }) => ({ stream, text: texts.join("") }));
}

function firstOf(pieces: readonly OutputPiece[], most: number): OutputPiece[] {
  let left = most;
  return pieces.flatMap(({ stream, text }) => {
    const bytes = Buffer.from(text).subarray(0, left);
    left -= bytes.length;
    return bytes.length === 0 ? [] : [{ stream, text: withoutHalves(bytes) }];
  });
}

function lastOf(pieces: readonly OutputPiece[], most: number): OutputPiece[] {
  let left = most;
  return pieces
    .toReversed()
    .flatMap(({ stream, text }) => {
      const all = Buffer.from(text);
      const bytes = all.subarray(Math.max(0, all.length - left));
      left -= bytes.length;
      return bytes.length === 0 ? [] : [{ stream, text: withoutHalves(bytes) }];
    })
    .toReversed();
}

/** A character at a cut is removed completely. */
const withoutHalves = (bytes: Buffer): string => bytes.toString("utf8").replaceAll(/^\ufffd+|\ufffd+$/g, "");

const sizeOf = (pieces: readonly OutputPiece[]): number =>
  pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
