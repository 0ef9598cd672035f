import { type NamePattern, namePattern } from "./name-pattern.ts";
import { walk } from "./walk.ts";

/** A search in the files of a folder, or in one file. */
export interface Search {
  root: string;
  /** Relative to the root; `.` is the root itself. */
  start: string;
  /** Only files whose names fit. */
  names?: string;
  /** Lines that fit this expression are searched for. Absent: files are searched for by their names. */
  expression?: { source: string; flags: string };
  limits: SearchLimits;
}

export interface SearchLimits {
  entries: number;
  depth: number;
  /** Larger files are skipped. */
  fileBytes: number;
  /** Lines that are reported of one file. */
  linesOfFile: number;
  /** Characters of a line that are reported. */
  lineLength: number;
  /** The search ends after this many matches. */
  matches: number;
}

/** What a search reports, in the order in which it is found. */
export type SearchMessage =
  | { type: "names"; paths: string[] }
  | { type: "lines"; path: string; count: number; lines: { line: number; text: string }[] }
  /** `skipped`: files that are too large. `isCut`: not everything was looked at. `isMissing`: there is no such folder. */
  | { type: "end"; searched: number; skipped: number; isCut: boolean; isMissing: boolean };

const BATCH = 500;

/** Searches and reports. It runs in a thread of its own, because rules of ignored files and expressions can take any time. */
export async function searchFiles(search: Search, post: (message: SearchMessage) => void): Promise<void> {
  const { root, start, names, expression, limits } = search;
  const fits: NamePattern = names === undefined ? () => true : namePattern(names);
  const base = start === "." ? "" : `${start}/`;
  const wanted = expression && new RegExp(expression.source, expression.flags);
  const gaps = { isCut: false, isMissing: false };
  const totals = { searched: 0, skipped: 0, matches: 0 };
  const batch: string[] = [];
  for (const file of walk(root, start, limits, gaps)) {
    const name = file.path.startsWith(base) ? file.path.slice(base.length) : (file.path.split("/").at(-1) ?? "");
    if (!fits(name)) continue;
    if (!wanted) {
      batch.push(file.path);
      totals.matches += 1;
      if (batch.length === BATCH) post({ type: "names", paths: batch.splice(0) });
    } else {
      const bytes = file.read(limits.fileBytes);
      if (bytes === undefined) {
        totals.skipped += 1;
        continue;
      }
      if (bytes.subarray(0, 8_000).includes(0)) continue;
      totals.searched += 1;
      const found = linesIn(bytes.toString("utf8"), wanted, limits);
      totals.matches += found.count;
      if (found.count > 0) post({ type: "lines", path: file.path, ...found });
    }
    if (totals.matches >= limits.matches) {
      gaps.isCut = true;
      break;
    }
  }
  if (batch.length > 0) post({ type: "names", paths: batch });
  post({ type: "end", searched: totals.searched, skipped: totals.skipped, ...gaps });
}

function linesIn(text: string, wanted: RegExp, { linesOfFile, lineLength }: SearchLimits) {
  const lines: { line: number; text: string }[] = [];
  let count = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (!wanted.test(line)) continue;
    count += 1;
    if (lines.length < linesOfFile) lines.push({ line: index + 1, text: shorten(line.replace(/\r$/, ""), lineLength) });
  }
  return { count, lines };
}

const shorten = (line: string, length: number): string =>
  line.length > length ? `${line.slice(0, length).toWellFormed()} [cut: the line has ${line.length} characters]` : line;
