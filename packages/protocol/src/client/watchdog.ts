import { clientError, SpoorClientError } from "./errors.ts";
import type { Clock, Scope } from "./web-platform.ts";

export interface Watchdog {
  /** Waits for `work`. If the server is silent for too long, the scope is aborted and this rejects with `timeout`. */
  during<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * Detects connections that died silently. Only the time spent waiting for the server counts, not the time the reader needs.
 * It is measured by the clock and not by a timer, so that a machine that slept detects a dead connection soon after waking.
 */
export function createWatchdog(
  { clock, staleAfterMs }: { clock: Clock; staleAfterMs: number },
  { signal, abort }: Scope,
): Watchdog {
  let waitingSince: number | undefined;
  void watch();

  return {
    async during(work) {
      waitingSince = clock.now();
      try {
        return await work();
      } catch (error) {
        throw signal.reason instanceof SpoorClientError ? signal.reason : error;
      } finally {
        waitingSince = undefined;
      }
    },
  };

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(staleAfterMs / 3, signal);
      if (signal.aborted || waitingSince === undefined || clock.now() - waitingSince < staleAfterMs) continue;
      abort(clientError("timeout", `The server sent nothing for ${staleAfterMs} ms.`));
    }
  }
}
