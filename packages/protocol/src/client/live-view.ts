import type { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { createRunFold } from "../view/fold.ts";
import { isOver, type RunView, type RunViewStatus } from "../view/types.ts";
import type { Subscription } from "./subscribe.ts";
import { type Clock, createScope } from "./web-platform.ts";

/**
 * Yields the view of a run whenever it has changed, until the run is over. Each view contains everything so far, so a slow
 * reader misses no state and applies no backpressure. Leaving the loop ends the subscription.
 */
export async function* viewsOf(
  envelopes: Subscription<Envelope>,
  { clock, everyMs }: { clock: Clock; everyMs: number },
): AsyncGenerator<RunView, void> {
  const run = createRunFold();
  const ended = createScope();
  let last: RunView | undefined;
  let changed = Promise.withResolvers<void>();
  const foldAll = async () => {
    for await (const envelope of envelopes) if (run.fold(envelope)) changed.resolve();
  };
  const folding = foldAll().finally(() => {
    ended.end();
    changed.resolve();
  });
  // A failure is thrown below, at `await folding`.
  folding.catch(() => {});

  try {
    while (!ended.signal.aborted) {
      await changed.promise;
      await clock.sleep(everyMs, ended.signal);
      changed = Promise.withResolvers();
      const view = run.snapshot();
      if (view !== last) yield view;
      last = view;
    }
    await folding;
  } finally {
    envelopes.close();
  }
}

export interface EndedRun {
  status: RunViewStatus;
  view: RunView;
}

/** Reads a run until its terminal event. If that event was pruned, the status comes from the run's record. */
export async function resultOf(
  envelopes: Subscription<Envelope>,
  recorded: () => Promise<RunViewStatus>,
): Promise<EndedRun> {
  const run = createRunFold();
  for await (const envelope of envelopes) {
    run.fold(envelope);
    if (isTerminalRunType(envelope.type)) break;
  }
  const view = run.snapshot();
  return { status: isOver(view) ? view.status : await recorded(), view };
}
