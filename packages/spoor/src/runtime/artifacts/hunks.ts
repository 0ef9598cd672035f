import { diffArrays } from "diff/lib/diff/array.js";
import { bytesOf, isBinary, linesOf } from "./lines.ts";

/** One place where two contents of a file differ, with up to three equal lines around it. */
export interface Hunk {
  /** The first line of the hunk in the old and in the new content, counted from 0. */
  oldStart: number;
  newStart: number;
  /** Lines with their line breaks, in latin1. Both include the equal lines around the change. */
  oldLines: readonly string[];
  newLines: readonly string[];
  /** The same lines as a unified diff shows them: each begins with ` `, `-` or `+`. */
  signed: readonly string[];
  /** Whether the hunk reaches the end of the old and of the new content. */
  atEnd: boolean;
}

/**
 * The hunks between two contents of a file. Missing files count as empty. Binary content, and content whose comparison
 * would take too long, is one hunk.
 */
export function hunksBetween(before: Buffer | undefined, after: Buffer | undefined): Hunk[] {
  const [old, next] = [before ?? EMPTY, after ?? EMPTY];
  if (old.equals(next)) return [];
  const [oldLines, newLines] = [linesOf(old), linesOf(next)];
  if (isBinary(old) || isBinary(next)) return [wholeHunk(oldLines, newLines)];
  return grouped(changesBetween(oldLines, newLines), oldLines, newLines);
}

/** Says why hunks do not fit: these lines are not where the hunk says. */
export class HunkMismatch extends Error {
  readonly hunk: number;

  constructor(hunk: number) {
    super(`Hunk ${hunk} does not fit: its lines are not where it says.`);
    this.hunk = hunk;
  }
}

/**
 * Replaces the lines of the chosen hunks. `applied` are the hunks that the content already has; they say how far later
 * lines have moved. `forward` applies hunks that are missing, otherwise hunks that are there are reverted. Lines must be
 * exactly where a hunk says.
 */
export function replaceHunks(content: Buffer, hunks: readonly Hunk[], options: ReplaceOptions): Buffer {
  const { chosen, applied, forward } = options;
  const lines = linesOf(content);
  const result: string[] = [];
  let copied = 0;
  let moved = 0;
  for (const [index, hunk] of hunks.entries()) {
    const start = hunk.oldStart + moved;
    if (applied.has(index)) moved += hunk.newLines.length - hunk.oldLines.length;
    if (!chosen.has(index)) continue;
    const [expected, wanted] = forward ? [hunk.oldLines, hunk.newLines] : [hunk.newLines, hunk.oldLines];
    const end = start + expected.length;
    const fits = expected.every((line, offset) => lines[start + offset] === line);
    if (!fits || start < copied || (hunk.atEnd && end !== lines.length)) throw new HunkMismatch(index);
    append(result, lines, copied, start);
    append(result, wanted, 0, wanted.length);
    copied = end;
  }
  append(result, lines, copied, lines.length);
  return bytesOf(result);
}

export interface ReplaceOptions {
  chosen: ReadonlySet<number>;
  applied: ReadonlySet<number>;
  forward: boolean;
}

/** Lines added and removed. */
export function countLines(hunks: readonly Hunk[]): { additions: number; deletions: number } {
  const count = (sign: string) =>
    hunks.reduce((sum, { signed }) => sum + signed.filter((line) => line.startsWith(sign)).length, 0);
  return { additions: count("+"), deletions: count("-") };
}

const EMPTY = Buffer.alloc(0);
const CONTEXT = 3;
/** Comparing takes time and memory that grow with the square of this number of differing lines. */
const MAX_EDITS = 1_500;

/** A run of lines that are replaced: `old` and `next` are half-open ranges of lines. */
interface Change {
  old: [start: number, end: number];
  next: [start: number, end: number];
}

function changesBetween(old: readonly string[], next: readonly string[]): Change[] {
  const start = equalAtStart(old, next);
  const end = equalAtEnd(old, next, start);
  const middle = [old.slice(start, old.length - end), next.slice(start, next.length - end)] as const;
  const found = diffArrays<string>([...middle[0]], [...middle[1]], { maxEditLength: MAX_EDITS });
  if (!found) return [{ old: [start, old.length - end], next: [start, next.length - end] }];
  const changes: Change[] = [];
  let [oldAt, newAt] = [start, start];
  for (const { added, removed, value } of found) {
    if (!added && !removed) {
      oldAt += value.length;
      newAt += value.length;
      continue;
    }
    const last = changes.at(-1);
    const joins = last && last.old[1] === oldAt && last.next[1] === newAt;
    const change = joins ? last : ({ old: [oldAt, oldAt], next: [newAt, newAt] } satisfies Change);
    if (!joins) changes.push(change as Change);
    if (removed) oldAt += value.length;
    else newAt += value.length;
    change.old[1] = oldAt;
    change.next[1] = newAt;
  }
  return changes;
}

function equalAtStart(old: readonly string[], next: readonly string[]): number {
  let count = 0;
  while (count < old.length && count < next.length && old[count] === next[count]) count += 1;
  return count;
}

function equalAtEnd(old: readonly string[], next: readonly string[], start: number): number {
  const most = Math.min(old.length, next.length) - start;
  let count = 0;
  while (count < most && old[old.length - 1 - count] === next[next.length - 1 - count]) count += 1;
  return count;
}

/** Joins changes whose context would overlap, and adds the context. */
function grouped(changes: readonly Change[], old: readonly string[], next: readonly string[]): Hunk[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const before = groups.at(-1)?.at(-1);
    if (before && change.old[0] - before.old[1] <= 2 * CONTEXT) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => hunkOf(group, old, next));
}

function hunkOf(group: readonly Change[], old: readonly string[], next: readonly string[]): Hunk {
  const [first, last] = [group[0] as Change, group.at(-1) as Change];
  const lead = Math.min(CONTEXT, first.old[0]);
  const [oldStart, newStart] = [first.old[0] - lead, first.next[0] - lead];
  const oldEnd = Math.min(old.length, last.old[1] + CONTEXT);
  const newEnd = last.next[1] + (oldEnd - last.old[1]);
  const signed: string[] = [];
  let at = oldStart;
  for (const { old: removed, next: added } of group) {
    for (; at < removed[0]; at++) signed.push(` ${old[at]}`);
    for (; at < removed[1]; at++) signed.push(`-${old[at]}`);
    for (let line = added[0]; line < added[1]; line++) signed.push(`+${next[line]}`);
  }
  for (; at < oldEnd; at++) signed.push(` ${old[at]}`);
  return {
    oldStart,
    newStart,
    oldLines: old.slice(oldStart, oldEnd),
    newLines: next.slice(newStart, newEnd),
    signed,
    atEnd: oldEnd === old.length,
  };
}

const wholeHunk = (oldLines: readonly string[], newLines: readonly string[]): Hunk => ({
  oldStart: 0,
  newStart: 0,
  oldLines,
  newLines,
  signed: [],
  atEnd: true,
});

function append(target: string[], lines: readonly string[], from: number, to: number): void {
  for (let index = from; index < to; index++) target.push(lines[index] as string);
}
