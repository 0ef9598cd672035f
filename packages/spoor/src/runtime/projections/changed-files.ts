import type { LineCounts } from "@spoor/protocol/write";
import type { RunFacts } from "../../log/records.ts";

type Totals = Required<Pick<RunFacts, "files_changed" | "additions" | "deletions">>;

/**
 * Counts the files that a run changed, and the lines it added and removed. A change that is told twice, by the agent and by
 * its stored patch, counts once. Reverted changes stay counted: the run did make them.
 */
export class ChangedFiles {
  readonly #totals: Totals;
  readonly #paths: Set<string>;
  readonly #changes: Map<string, LineCounts>;

  /** Continues with the counts of a row. `past` knows which changes these stand for. */
  constructor({ files_changed = 0, additions = 0, deletions = 0 }: RunFacts = {}, past?: ChangedFiles) {
    this.#totals = { files_changed, additions, deletions };
    this.#paths = new Set(past ? past.#paths : []);
    this.#changes = new Map(past ? past.#changes : []);
  }

  /** `lines` is absent when only the file is known. */
  add(path: string, call: string, lines?: LineCounts): Totals {
    if (!this.#paths.has(path)) this.#totals.files_changed += 1;
    this.#paths.add(path);
    if (!lines) return { ...this.#totals };
    const key = `${call}\n${path}`;
    const before = this.#changes.get(key);
    this.#totals.additions += lines.additions - (before?.additions ?? 0);
    this.#totals.deletions += lines.deletions - (before?.deletions ?? 0);
    this.#changes.set(key, lines);
    return { ...this.#totals };
  }
}
