import { type DiffFile, parseDiff } from "../diff/parse-diff.ts";

/** A file that at least one of the runs changed. */
interface ComparedFile {
  readonly path: string;
  /** The diff of each run; undefined where it did not touch the file. */
  readonly diffs: readonly (string | undefined)[];
  /** In how many different ways it was changed; 0 if a diff was not kept. */
  readonly ways: number;
  /** `same in all`, `2 ways`, `2 of 3`, `2 of 3, 2 ways`; `3 of 3` if it is not known whether they are the same. */
  readonly words: string;
}

/** Compares what runs changed, by path. Files that all of them touched come first. */
export function compareFiles(runs: readonly ReadonlyMap<string, string>[]): ComparedFile[] {
  const paths = new Set(runs.flatMap((files) => [...files.keys()]));
  return [...paths]
    .map((path) => {
      const diffs = runs.map((files) => files.get(path));
      const touched = diffs.filter((diff) => diff !== undefined);
      const ways = touched.includes("") ? 0 : new Set(touched.map(essenceOf)).size;
      return { path, diffs, ways, words: wordsOf(touched.length, runs.length, ways) };
    })
    .sort((one, other) => touchesOf(other) - touchesOf(one) || (one.path < other.path ? -1 : 1));
}

const touchesOf = ({ diffs }: ComparedFile): number => diffs.filter((diff) => diff !== undefined).length;

function wordsOf(touched: number, runs: number, ways: number): string {
  const how = `${ways} ways`;
  if (runs === 1) return "";
  if (touched < runs || ways === 0) return `${touched} of ${runs}${ways > 1 ? `, ${how}` : ""}`;
  return ways === 1 ? "same in all" : how;
}

/** What a diff does, without the hashes and times in its head. */
function essenceOf(diff: string): string {
  const files = parseDiff(diff);
  if (files.length === 0 || files.some(({ isBinary }) => isBinary)) return diff;
  return JSON.stringify(files.map(({ change, mode, hunks }: DiffFile) => [change, mode, hunks.flatMap(changedLines)]));
}

const changedLines = ({ lines }: DiffFile["hunks"][number]): string[] =>
  lines.flatMap(({ sign, text, noNewline }) => (sign === " " ? [] : [`${sign}${text}${noNewline ? "\\" : ""}`]));
