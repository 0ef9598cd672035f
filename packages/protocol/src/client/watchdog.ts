import { clientError, SpoorClientError } from "./errors.ts";
import type { Clock, Scope } from "./web-platform.ts";

export interface Watchdog {
  /** Waits for something from the server. When it takes too long the scope is aborted, and this rejects with `timeout`. */
  during<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * Finds connections that are dead without a word. Only waiting counts, not the time a reader takes with what has come;
 * and it is measured by the clock, not by a timer, so that a machine that slept finds out soon after it wakes.
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
      abort(clientError("timeout", `Nothing came from the server for ${staleAfterMs} ms.`));
    }
  }
}
