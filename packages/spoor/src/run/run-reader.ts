import { WireReader } from "../assemble/wire-reader.ts";
import type { LateFacts } from "./late-facts.ts";
import { isRetriedBy } from "./retry.ts";
import { type AttemptSetup, estimatesOf } from "./run-setup.ts";

/** The reader of a live run. `isRepeatable` says whether another process can repeat the current prompt. */
export function createRunReader(
  setup: AttemptSetup,
  lateFacts: LateFacts,
  isRepeatable: () => boolean,
  isGated: boolean,
): WireReader {
  const { adapter, dialect, runId, request, stream, debug, retryPolicy } = setup;
  const isRetried = retryPolicy && isRetriedBy(retryPolicy);
  return new WireReader({
    agent: adapter.name,
    dialect,
    runId,
    cwd: request.cwd,
    stream,
    debug,
    approve: request.approve,
    now: Date.now,
    random: Math.random,
    prices: () => lateFacts.prices,
    estimates: estimatesOf(setup),
    ...(isGated && { isGated }),
    ...(request.noSession && { noSession: true }),
    ...(request.resume !== undefined && { resumed: true, priorTurns: () => lateFacts.priorTurns }),
    ...(request.fork !== undefined && { forkedFrom: request.fork }),
    ...(isRetried && { isRetried: (failure, retries) => isRetried(failure, retries) && isRepeatable() }),
  });
}
