import type { Envelope } from "../envelope/envelope.ts";
import { isTerminalRunType } from "../envelope/terminal.ts";
import { createRunFold } from "../view/fold.ts";
import { isOver, type RunView, type RunViewStatus } from "../view/types.ts";
import type { Subscription } from "./subscribe.ts";
import { type Clock, createScope } from "./web-platform.ts";

/**
 * What a screen shows of a run, again and again until the run is over. A view holds everything that came since the last,
 * so a reader that takes its time misses no state and holds nothing up. Leaving the loop ends the subscription.
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
  // Its failure is thrown below, when the reader comes to it.
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

/** Reads a run until its terminal event. Where that was pruned, the run's record has the last word. */
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
