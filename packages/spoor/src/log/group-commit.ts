import type { AppendReceipt, RunAppend } from "./log.ts";

export type Batch = readonly RunAppend[];

/**
 * Puts all batches that arrived since the last commit into one commit. A single append does not wait for others, only for
 * the current turn of the event loop. `commit` returns one outcome for each batch, or throws for all of them.
 */
export function createGroupCommit(
  commit: (batches: readonly Batch[]) => (AppendReceipt[] | Error)[] | Promise<(AppendReceipt[] | Error)[]>,
): { append(batch: Batch): Promise<AppendReceipt[]>; idle(): Promise<void> } {
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const outcomes = await commit(group.map(({ batch }) => batch));
        group.forEach(({ resolve, reject }, index) => {
          const outcome = outcomes[index];
          if (Array.isArray(outcome)) resolve(outcome);
          else reject(outcome);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      // Lets the callers that waited for this commit append again before the next one.
      await new Promise(setImmediate);
    }
    running = undefined;
  }

  return {
    append: (batch) =>
      new Promise((resolve, reject) => {
        waiting.push({ batch, resolve, reject });
        running ??= run();
      }),
    idle: async () => running,
  };
}

interface Waiting {
  batch: Batch;
  resolve(receipts: AppendReceipt[]): void;
  reject(error: unknown): void;
}
