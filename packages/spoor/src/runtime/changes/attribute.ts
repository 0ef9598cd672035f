/** A call that may be writing. */
export interface Writer {
  /** Unique in the process. */
  key: string;
  toolCallId: string;
  /** A subagent's call: the calls of the subagent itself are closer to the change. */
  isContainer: boolean;
}

/** Who made the changes between two snapshots. */
export interface Attribution {
  attribution: "call" | "shared" | "outside";
  tool_call_ids: string[];
}

/**
 * Follows which calls could write since the last snapshot. What changed between two snapshots was done by the calls that were
 * open at some moment between them: by one of them, or by any of several; if there was none, by somebody outside the run.
 */
export class Writers {
  readonly #open = new Map<string, Writer>();
  /** Open at some moment since the last snapshot. */
  readonly #since = new Map<string, Writer>();

  get isAnyOpen(): boolean {
    return [...this.#open.values()].some(({ isContainer }) => !isContainer);
  }

  isAnyOtherOpen(key: string): boolean {
    return [...this.#open.values()].some((writer) => writer.key !== key && !writer.isContainer);
  }

  begin(writer: Writer): void {
    this.#open.set(writer.key, writer);
    this.#since.set(writer.key, writer);
  }

  /** `isRefused`: it did not run at all. */
  end(key: string, isRefused = false): void {
    this.#open.delete(key);
    if (isRefused) this.#since.delete(key);
  }

  /** A snapshot was taken: says who made the changes since the one before. `ending` is the call that it was taken for. */
  settle(ending?: string): Attribution {
    const since = [...this.#since.values()];
    this.#since.clear();
    for (const [key, writer] of this.#open) if (key !== ending) this.#since.set(key, writer);
    const direct = since.filter(({ key, isContainer }) => !isContainer || key === ending);
    const writers = direct.length > 0 ? direct : since;
    // The call that ended comes first: the events name it.
    const ids = writers.toSorted((a, b) => Number(b.key === ending) - Number(a.key === ending));
    const tool_call_ids = ids.map(({ toolCallId }) => toolCallId);
    if (tool_call_ids.length === 0) return { attribution: "outside", tool_call_ids };
    return { attribution: tool_call_ids.length === 1 ? "call" : "shared", tool_call_ids };
  }
}
