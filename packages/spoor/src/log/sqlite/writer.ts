import type { LogError } from "../errors.ts";
import { type Batch, createGroupCommit } from "../group-commit.ts";
import type { AppendReceipt, RunAppend } from "../log.ts";
import { createCheckpointer } from "./checkpoint.ts";
import { type Commit, type Committed, createCommit } from "./commit.ts";
import type { Context } from "./context.ts";
import { failureOf, isDiskFault } from "./failure.ts";
import { createFileCheck } from "./file-identity.ts";
import type { Marks } from "./recovery/marks.ts";

/** What other parts of the process learn of a commit. */
export type Published = Pick<Committed, "pieces" | "hasRowChanges">;

/** Appends batches, several of them in one commit. `onCommit` runs right after each commit, in the order of commits. */
export function createWriter(
  context: Context,
  { path, marks, onCommit }: { path: string; marks: Marks; onCommit(committed: Published): void },
) {
  const { database, transaction } = context;
  const commit = createCommit(context);
  const checkpointer = createCheckpointer(database, path);
  const requireSameFile = createFileCheck(path);
  let fault: LogError | undefined;
  const group = createGroupCommit((batches) => {
    const { paused } = checkpointer;
    return paused ? paused.then(() => write(batches)) : write(batches);
  });

  async function write(batches: readonly Batch[]): Promise<(AppendReceipt[] | Error)[]> {
    try {
      return (await guarded(() => commit(batches))).outcomes;
    } catch (error) {
      if ((error as LogError).code !== "damaged" || batches.length === 1) throw error;
      return oneByOne(batches);
    }
  }

  /** Damage in one table must not affect batches that do not touch it. */
  async function oneByOne(batches: readonly Batch[]): Promise<(AppendReceipt[] | Error)[]> {
    const all: (AppendReceipt[] | Error)[] = [];
    for (const batch of batches) {
      const outcomes = await write([batch]).catch((error: Error) => [error]);
      all.push(...outcomes);
    }
    return all;
  }

  async function guarded<T extends Partial<Committed>>(work: () => T): Promise<T> {
    if (fault) throw fault;
    try {
      requireSameFile();
      return await transaction(work, committed);
    } catch (error) {
      const failure = failureOf(error);
      // After a failed write the disk may have lost what it acknowledged, so nothing is written until the log is reopened.
      if (isDiskFault(failure)) fault = failure;
      throw failure;
    }
  }

  function committed({ pieces = [], rows = [], hasRowChanges = false }: Partial<Committed>): void {
    if (rows.length > 0) marks.note(rows);
    onCommit({ pieces, hasRowChanges });
    checkpointer.committed(pieces.reduce((sum, { bytes }) => sum + bytes.length, 0));
  }

  return {
    get fault(): LogError | undefined {
      return fault;
    },
    async append(batch: readonly RunAppend[]): Promise<AppendReceipt[]> {
      if (fault) throw fault;
      return group.append(batch);
    },
    /** Runs other work as a transaction, which may commit batches and tells what it changed. */
    async transact<T extends Partial<Committed>>(work: (commit: Commit) => T): Promise<T> {
      await checkpointer.paused;
      return guarded(() => work(commit));
    },
    /** Finishes the appends that wait and refuses later ones for this reason. */
    async close(reason: LogError): Promise<void> {
      await group.idle();
      fault ??= reason;
      await checkpointer.close();
    },
  };
}
