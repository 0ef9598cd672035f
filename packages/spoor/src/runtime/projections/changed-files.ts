import type { LineCounts } from "@spoor/protocol/write";
import type { RunFacts } from "../../log/records.ts";

type Totals = Required<Pick<RunFacts, "files_changed" | "additions" | "deletions">>;

interface ChangedFile {
  /** Whether the run made the file. */
  isNew: boolean;
  /** What each call did to it, and all of them together. */
  readonly calls: Map<string, LineCounts>;
  sum: LineCounts;
}

const nothing: LineCounts = { additions: 0, deletions: 0 };

/**
 * Counts the files that a run changed, and the lines it added and removed. A file that the run made counts the lines it has
 * now, as a diff against the beginning shows; of any other file all its edits count. A change that is told twice, by the
 * agent and by its stored patch, counts once. Reverted changes stay counted: the run did make them.
 */
export class ChangedFiles {
  readonly #totals: Totals;
  readonly #files: Map<string, ChangedFile>;

  /** Continues with the counts of a row. `past` knows which changes these stand for. */
  constructor({ files_changed = 0, additions = 0, deletions = 0 }: RunFacts = {}, past?: ChangedFiles) {
    this.#totals = { files_changed, additions, deletions };
    const known = [...(past ? past.#files : [])];
    this.#files = new Map(known.map(([path, file]) => [path, { ...file, calls: new Map(file.calls) }]));
  }

  /** `lines` is absent when only the file is known. `existed`: whether the file was there before this change. */
  add(path: string, call: string, lines?: LineCounts, existed?: boolean): Totals {
    const known = this.#files.get(path);
    const file: ChangedFile = known ?? { isNew: false, calls: new Map(), sum: nothing };
    if (!known) this.#totals.files_changed += 1;
    this.#files.set(path, file);
    const before = countsOf(file);
    // A file that is removed and made again was there before the run.
    if (existed === false && file.calls.size === (file.calls.has(call) ? 1 : 0)) file.isNew = true;
    if (lines) {
      file.sum = plus(plus(file.sum, lines), file.calls.get(call) ?? nothing, -1);
      file.calls.set(call, lines);
    }
    const { additions, deletions } = plus(countsOf(file), before, -1);
    this.#totals.additions += additions;
    this.#totals.deletions += deletions;
    return { ...this.#totals };
  }
}

const countsOf = ({ isNew, sum }: ChangedFile): LineCounts =>
  isNew ? { additions: Math.max(0, sum.additions - sum.deletions), deletions: 0 } : sum;

const plus = (one: LineCounts, other: LineCounts, times = 1): LineCounts => ({
  additions: one.additions + times * other.additions,
  deletions: one.deletions + times * other.deletions,
});
