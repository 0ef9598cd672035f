/** Milliseconds. */
const LONGEST_PAUSE = 10;
/** More bytes than this in one round are a flood: then throughput counts more than a millisecond of delay. */
const FLOOD_BYTES = 16 * 1024;
/** The pause after such a round, as a multiple of the time that the round took. */
const FLOOD_PAUSE = 3;

/**
 * Calls `serve` after commits: in the same turn of the event loop while serving is quick, else after a pause that is about
 * as long as serving all readers takes. All that is committed meanwhile reaches each reader in one write.
 * Bench `SSE to 100 readers`: 1.6× with it.
 */
export function createPacing(serve: () => void) {
  /** How long a round usually takes. A single slow round proves little, because other processes may have delayed it. */
  let usual = 0;
  let lastRound = 0;
  let bytes = 0;
  let pauseUntil = 0;
  let isScheduled = false;

  function round(): void {
    isScheduled = false;
    const start = performance.now();
    serve();
    const end = performance.now();
    const took = end - start;
    usual = Math.min(took, usual * 1.25 + 0.1);
    // In a flood, two slow rounds are enough evidence, and larger writes justify a longer pause.
    const pause = bytes > FLOOD_BYTES ? Math.min(took, lastRound) * FLOOD_PAUSE : usual;
    pauseUntil = end + Math.min(pause, LONGEST_PAUSE);
    lastRound = took;
    bytes = 0;
  }

  return {
    committed(length: number): void {
      bytes += length;
    },
    schedule(): void {
      if (isScheduled) return;
      isScheduled = true;
      const pause = pauseUntil - performance.now();
      if (pause < 1) setImmediate(round);
      else setTimeout(round, pause);
    },
  };
}
