import type { RunFacts } from "../../log/records.ts";

type Totals = Required<Pick<RunFacts, "files_changed" | "additions" | "deletions">>;
type Lines = Pick<Totals, "additions" | "deletions">;

/**
 * Counts the files that a run changed, and the lines it added and removed. A change that is told twice, by the agent and by
 * its stored patch, counts once. Reverted changes stay counted: the run did make them.
 */
export class ChangedFiles {
  readonly #totals: Totals;
  readonly #paths: Set<string>;
  readonly #changes: Map<string, Lines>;

  /** Continues with the counts of a row. `past` knows which changes these stand for. */
  constructor({ files_changed = 0, additions = 0, deletions = 0 }: RunFacts = {}, past?: ChangedFiles) {
    this.#totals = { files_changed, additions, deletions };
    this.#paths = new Set(past ? past.#paths : []);
    this.#changes = new Map(past ? past.#changes : []);
  }

  /** `lines` is absent when only the file is known. */
  add(path: string, call: string, lines?: Lines): Totals {
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

/** The lines that a unified diff adds and removes. */
export function linesOf(diff: string): Lines {
  const lines = { additions: 0, deletions: 0 };
  for (let at = 0; at < diff.length; ) {
    const end = diff.indexOf("\n", at);
    const first = diff[at];
    if (first === "+" && !diff.startsWith("+++ ", at)) lines.additions += 1;
    else if (first === "-" && !diff.startsWith("--- ", at)) lines.deletions += 1;
    at = end === -1 ? diff.length : end + 1;
  }
  return lines;
}
