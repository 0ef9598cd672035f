import { utf8Length } from "../mapping/utf8.ts";
import type { Editable } from "./snapshot-list.ts";
import type { OutputPiece, ShellView } from "./types-work.ts";

/**
 * Adds output to a shell and limits its memory: output up to half of the limit is kept at the start, and the rest is kept
 * from the end. When both exceed the limit, the end is cut to a quarter of the limit. This happens rarely, so the work stays
 * proportional to the output.
 */
export function keepOutput(
  shell: Editable<ShellView>,
  { stream, text }: OutputPiece,
  byteOffset: number | undefined,
  limit: number,
): void {
  const seen = stream === "stdout" ? "stdoutBytes" : "stderrBytes";
  // Pieces that were not received count as omitted.
  const unseen = Math.max(0, (byteOffset ?? 0) - shell[seen]);
  const bytes = utf8Length(text);
  shell[seen] += unseen + bytes;
  shell.omittedBytes += unseen;

  const isWhole = shell.tail.length === 0 && shell.omittedBytes === 0;
  const room = isWhole ? Math.floor(limit / 2) - shell.headBytes : 0;
  if (bytes <= room) {
    append(shell.head, stream, text);
    shell.headBytes += bytes;
    return;
  }
  const split = unitsWithin(text, room);
  const first = text.slice(0, split);
  const firstBytes = utf8Length(first);
  if (first !== "") append(shell.head, stream, ownCopy(first));
  shell.headBytes += firstBytes;
  append(shell.tail, stream, split === 0 ? text : text.slice(split));
  shell.tailBytes += bytes - firstBytes;
  if (shell.headBytes + shell.tailBytes > limit) cutTail(shell, Math.floor(limit / 4));
}

function cutTail(shell: Editable<ShellView>, keep: number): void {
  let excess = shell.tailBytes - keep;
  let whole = 0;
  for (const { text } of shell.tail) {
    const bytes = utf8Length(text);
    if (bytes > excess) break;
    excess -= bytes;
    whole += 1;
  }
  shell.tail.splice(0, whole);
  const first = shell.tail[0];
  if (first && excess > 0) {
    // A character at the cut is removed completely.
    const within = unitsWithin(first.text, excess);
    const cut = utf8Length(first.text.slice(0, within)) < excess ? within + unitsOf(first.text, within) : within;
    shell.tail[0] = { stream: first.stream, text: ownCopy(first.text.slice(cut)) };
  }
  const kept = shell.tail.reduce((bytes, { text }) => bytes + utf8Length(text), 0);
  shell.omittedBytes += shell.tailBytes - kept;
  shell.tailBytes = kept;
}

function append(pieces: OutputPiece[], stream: OutputPiece["stream"], text: string): void {
  const last = pieces.at(-1);
  if (last?.stream === stream) pieces[pieces.length - 1] = { stream, text: last.text + text };
  else if (text !== "") pieces.push({ stream, text });
}

/** Number of code units of the longest prefix, in whole characters, that fits into `bytes`. */
function unitsWithin(text: string, bytes: number): number {
  let used = 0;
  let units = 0;
  while (units < text.length) {
    const point = text.codePointAt(units) as number;
    used += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (used > bytes) break;
    units += point < 0x10000 ? 1 : 2;
  }
  return units;
}

const unitsOf = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) < 0x10000 ? 1 : 2);

/** A slice keeps the original string in memory. A round trip through JSON makes engines copy it. */
const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
