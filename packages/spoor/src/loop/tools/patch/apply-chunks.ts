import { bytesOf, linesOf } from "../../../runtime/artifacts/lines.ts";
import { ToolProblem } from "../kit/define-tool.ts";
import { isCrlf } from "../kit/line-ends.ts";
import type { Chunk, FilePatch } from "./file-patch.ts";

/** The new content of a file, and what the model should know about how it was made. */
export interface Applied {
  bytes: Buffer;
  notes: string[];
}

/**
 * Applies the chunks of a patch to a file. Every line of a chunk must be exactly as in the file. A hunk whose line number is
 * wrong is applied if its lines occur at exactly one place.
 */
export function applyChunks({ path, chunks }: FilePatch, bytes: Buffer): Applied {
  const lines = linesOf(bytes);
  const end = isCrlf(bytes) ? "\r\n" : "\n";
  const isUnended = lines.length > 0 && !lines.at(-1)?.endsWith("\n");
  const result: string[] = [];
  const notes: string[] = [];
  let copied = 0;
  for (const [index, chunk] of chunks.entries()) {
    const wanted = wantedLines(chunk, end);
    const where = placeOf(chunk, lines, wanted, copied);
    if (typeof where === "string") throw new ToolProblem(`${path}: hunk ${index + 1} does not fit: ${where}`);
    if (chunk.place.by === "line" && where !== chunk.place.line) {
      notes.push(`${path}: hunk ${index + 1} was applied at line ${where + 1}, not at line ${chunk.place.line + 1}.`);
    }
    append(result, lines, copied, where);
    copied = where;
    for (const { sign, text, isUnended: isLast } of chunk.lines) {
      if (sign === "+") result.push(latin(text, isLast ? "" : end));
      else {
        if (sign === " ") result.push(lines[copied] as string);
        copied += 1;
      }
    }
  }
  const reachesEnd = copied === lines.length;
  append(result, lines, copied, lines.length);
  const isByText = chunks.some(({ place }) => place.by === "text");
  return { bytes: bytesOf(isByText ? keepEnd(result, end, isUnended && reachesEnd) : result), notes };
}

/** The old side of a chunk, as the lines of the file must be. Those of a patch in blocks are compared without line breaks. */
function wantedLines({ lines, place }: Chunk, end: string): string[] {
  return lines
    .filter(({ sign }) => sign !== "+")
    .map(({ text, isUnended }) => (place.by === "text" ? latin(text, "") : latin(text, isUnended ? "" : end)));
}

/** The line at which a chunk begins, or why there is none. */
function placeOf(chunk: Chunk, lines: readonly string[], wanted: readonly string[], from: number): number | string {
  const { place } = chunk;
  if (place.by === "line") {
    if (place.line >= from && fits(lines, wanted, place.line)) return place.line;
    if (wanted.length === 0) return `the file has no line ${place.line} to insert after.`;
    const places = placesFrom(lines, wanted, from);
    if (places.length === 1) return places[0] as number;
    return places.length === 0
      ? mismatch(lines, wanted, place.line)
      : `its lines occur at ${places.length} places, and not at line ${place.line + 1}.`;
  }
  const plain = lines.map(withoutEnd);
  let start = from;
  for (const anchor of place.anchors) {
    const found = plain.findIndex((line, index) => index >= start && line.trim() === latin(anchor, ""));
    if (found === -1) return `there is no line \`${anchor}\` for its \`@@\`.`;
    start = found + 1;
  }
  if (wanted.length === 0) return place.anchors.length > 0 ? start : lines.length;
  // The line of an anchor may also be the first line of the chunk.
  const first = place.anchors.length > 0 ? start - 1 : start;
  const places = placesFrom(plain, wanted, Math.max(from, first)).filter(
    (at) => !place.atEnd || at + wanted.length === lines.length,
  );
  if (places.length === 0) return mismatch(plain, wanted, undefined);
  if (places.length > 1 && place.anchors.length === 0) {
    return `its lines occur at ${places.length} places. Add more lines around the change, or an \`@@\` line.`;
  }
  return places[0] as number;
}

const fits = (lines: readonly string[], wanted: readonly string[], at: number): boolean =>
  at + wanted.length <= lines.length && wanted.every((line, offset) => lines[at + offset] === line);

/** All places of the lines, in a time that grows with the length of the file only (Knuth, Morris and Pratt). */
function placesFrom(lines: readonly string[], wanted: readonly string[], from: number): number[] {
  const border = bordersOf(wanted);
  const places: number[] = [];
  let matched = 0;
  for (let at = from; at < lines.length; at += 1) {
    while (matched > 0 && lines[at] !== wanted[matched]) matched = border[matched - 1] as number;
    if (lines[at] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    places.push(at - wanted.length + 1);
    matched = border[matched - 1] as number;
  }
  return places;
}

/** For each beginning of the lines: how many of its first lines are also its last ones. */
function bordersOf(wanted: readonly string[]): number[] {
  const border = [0];
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = border[matched - 1] as number;
    if (wanted[at] === wanted[matched]) matched += 1;
    border.push(matched);
  }
  return border;
}

/** Names the first line that differs. */
function mismatch(lines: readonly string[], wanted: readonly string[], at: number | undefined): string {
  const show = (line: string | undefined) =>
    line === undefined
      ? "the end of the file"
      : JSON.stringify(Buffer.from(line, "latin1").toString("utf8").slice(0, 120));
  if (at === undefined) {
    const known = new Set(lines);
    const missing = wanted.find((line) => !known.has(line));
    return missing === undefined
      ? "its lines are in the file, but not one after the other. Read the file again."
      : `the file has no line ${show(missing)}. Read the file again.`;
  }
  const offset = wanted.findIndex((line, index) => lines[at + index] !== line);
  return `line ${at + offset + 1} must be ${show(wanted[offset])}, but is ${show(lines[at + offset])}. Read the file again.`;
}

/** A file that ended without a line break keeps doing so, and lines inside it all have one. */
function keepEnd(lines: string[], end: string, isUnended: boolean): string[] {
  return lines.map((line, index) => {
    const isLast = index === lines.length - 1;
    if (isLast && isUnended) return withoutEnd(line);
    return isLast || line.endsWith("\n") ? line : `${line}${end}`;
  });
}

const withoutEnd = (line: string): string => line.replace(/\r?\n$/, "");

/** A line as the lines of files are kept: one character for each byte. */
const latin = (text: string, end: string): string => {
  const plain = end === "\r\n" ? text.replace(/\r$/, "") : text;
  return Buffer.from(`${plain}${end}`).toString("latin1");
};

function append(target: string[], lines: readonly string[], from: number, to: number): void {
  for (let index = from; index < to; index += 1) target.push(lines[index] as string);
}
