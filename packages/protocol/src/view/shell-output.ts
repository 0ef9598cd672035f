import { utf8Length } from "../mapping/utf8.ts";
import type { Editable } from "./snapshot-list.ts";
import type { OutputPiece, ShellView } from "./types-work.ts";

/**
 * Adds output to a shell and keeps it within a limit, so that long sessions do not eat memory: the first half of the
 * limit stays for good, and of the rest the end. When both outgrow the limit the end is cut to a quarter of it, not by
 * each new piece, so that the work stays in proportion to the output.
 */
export function keepOutput(
  shell: Editable<ShellView>,
  { stream, text }: OutputPiece,
  byteOffset: number | undefined,
  limit: number,
): void {
  const seen = stream === "stdout" ? "stdoutBytes" : "stderrBytes";
  // Pieces that never reached us count as left out.
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
    // A character that straddles the cut goes whole.
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

/** Code units of the longest start of a text that fits into so many bytes, whole characters only. */
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

/** A slice keeps the whole text it was taken from in memory; going through JSON is what makes engines copy it. */
const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
