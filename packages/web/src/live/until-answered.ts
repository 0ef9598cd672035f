import { SpoorClientError } from "@spoor/protocol/client";

/** The pause after a reading that got no answer. The client has tried it a few times by then. */
export const TRY_AGAIN_MS = 5_000;

/**
 * Reads something from the server, again and again while the server cannot answer, so that a screen goes on by itself when it
 * is back. Throws what the server refuses, and when `signal` ends it. `failed` hears of every reading without an answer.
 */
export async function untilAnswered<Answer>(
  read: () => Promise<Answer>,
  signal: AbortSignal,
  failed: () => void = () => {},
): Promise<Answer> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SpoorClientError && error.retryable)) throw error;
      failed();
      await pause(signal);
    }
  }
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, TRY_AGAIN_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
