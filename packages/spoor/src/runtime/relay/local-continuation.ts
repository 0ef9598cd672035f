import { LogError } from "../../log/errors.ts";
import type { Log, Receipt, RunAppend, TapeLine } from "../../log/log.ts";
import { appendOnce } from "./in-doubt.ts";

/**
 * Goes on in the log itself after a server is gone: opened when it is first needed, and everything one after the other,
 * so that what the server left in doubt is settled before anything follows it.
 *
 * Being gone is not told apart from being silent. A server may yet wake up with what it was sent, so a run that is in
 * doubt is taken over first, which fences that; and one that was stopped within a commit holds the log, which is waited
 * for, as the server was.
 */
export class LocalContinuation {
  readonly #open: () => Log | Promise<Log>;
  #log: Log | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Runs that were in doubt. */
  readonly #taken = new Map<string, Taken>();

  constructor(open: () => Log | Promise<Log>) {
    this.#open = open;
  }

  /** Does something with the log, when all that came before is done. */
  do<T>(work: (log: Log) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#try(work));
  }

  append(batch: readonly RunAppend[]): Promise<Receipt[]> {
    return this.do((log) => log.append(this.#underNewEpochs(batch)));
  }

  /** Appends what a server was sent and did not answer, unless it is there. `after` is as old as the sending. */
  appendInDoubt(batch: readonly RunAppend[], after: (run_id: string) => number): Promise<Receipt[]> {
    return this.do(async (log) => {
      for (const { run_id, create, epoch } of batch) if (!create) await this.#takeOver(log, run_id, epoch);
      const bounds = (run_id: string) => {
        const { settled = -1, upTo = Number.POSITIVE_INFINITY } = this.#taken.get(run_id) ?? {};
        return { after: Math.max(after(run_id), settled), upTo };
      };
      const { receipts, wasThere } = await appendOnce(log, this.#underNewEpochs(batch), bounds);
      for (const [index, { run_id, last_sequence }] of receipts.entries()) {
        const taken = this.#taken.get(run_id);
        if (taken && wasThere && batch[index]?.drafts.length) taken.settled = last_sequence;
      }
      return receipts;
    });
  }

  appendTape(run_id: string, lines: readonly TapeLine[]): Promise<void> {
    return this.do((log) => log.tapes.append(run_id, lines));
  }

  /** The same for a tape. Lines go in as one, so their number tells: of the tape `before()` are known to be there. */
  appendTapeInDoubt(
    run_id: string,
    lines: readonly TapeLine[],
    { before, epoch }: { before: () => number; epoch: number | undefined },
  ): Promise<void> {
    return this.do(async (log) => {
      await this.#takeOver(log, run_id, epoch);
      if ((await countOf(log.tapes.read(run_id))) < before() + lines.length) await log.tapes.append(run_id, lines);
    });
  }

  async close(): Promise<void> {
    await this.#last;
    this.#isClosed = true;
    await this.#log?.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #try<T>(work: (log: Log) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LogError("closed", "The log was closed.");
    this.#log ??= await this.#open();
    return work(this.#log);
  }

  /** Nothing that was sent under this epoch is taken from now on. Fails if somebody else took the run over before. */
  async #takeOver(log: Log, run_id: string, was: number | undefined): Promise<void> {
    if (was === undefined || this.#taken.has(run_id)) return;
    // Appending nothing tells whether an epoch holds, and where the run stands.
    await log.append([{ run_id, epoch: was, drafts: [] }]);
    const is = await log.claim(run_id);
    const upTo = (await log.run(run_id))?.last_sequence ?? -1;
    this.#taken.set(run_id, { was, is, upTo, settled: -1 });
  }

  #underNewEpochs(batch: readonly RunAppend[]): RunAppend[] {
    return batch.map((append) => {
      const taken = this.#taken.get(append.run_id);
      return taken && append.epoch === taken.was ? { ...append, epoch: taken.is } : append;
    });
  }
}

interface Taken {
  /** The epochs before and since. */
  was: number;
  is: number;
  /** The last sequence by then: what is in doubt does not stand after it. */
  upTo: number;
  /** The last sequence of what was in doubt and is there: what was sent later does not stand before it. */
  settled: number;
}

async function countOf(all: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of all) count += 1;
  return count;
}
