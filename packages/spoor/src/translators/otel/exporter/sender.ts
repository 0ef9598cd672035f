import { setTimeout as sleep } from "node:timers/promises";
import { delayAfter } from "../../back-off.ts";
import type { Notices } from "./notices.ts";
import { createPost } from "./post.ts";
import type { Signal, SignalSettings } from "./settings.ts";

/** Sends the requests of one signal, again and again until the receiver answers. */
export interface Sender {
  /**
   * Resolves with true when the receiver has taken or refused the message, with false if the attempts ended
   * before. The message is made again for each attempt.
   */
  send(message: () => object, signal: AbortSignal): Promise<boolean>;
  /** Ends the attempts to reach a receiver that cannot be reached. */
  giveUp(): void;
  close(): void;
}

/** The longest time between two attempts, in milliseconds, unless the receiver asks for more. */
const LONGEST_WAIT = 60_000;

export interface SenderOptions {
  readonly notices: Notices;
  /** Absent: as many as it takes. */
  readonly mostAttempts?: number;
  /** Milliseconds before the second attempt; each further wait is about twice as long. Default: 1,000. */
  readonly firstWaitMs?: number;
}

export function createSender(
  name: Signal,
  settings: SignalSettings,
  { notices, mostAttempts = Number.POSITIVE_INFINITY, firstWaitMs = 1_000 }: SenderOptions,
): Sender {
  const post = createPost(name, settings);
  const { url } = settings;
  const ended = new AbortController();
  let failures = 0;
  return {
    async send(message, caller) {
      const signal = AbortSignal.any([caller, ended.signal]);
      while (!signal.aborted) {
        const outcome = await post.send(message(), signal);
        if (outcome.kind !== "unavailable") {
          failures = 0;
          notices.note(name, url, outcome);
          return true;
        }
        // It was ended by us: that says nothing about the receiver.
        if (signal.aborted) return false;
        failures += 1;
        notices.note(name, url, outcome);
        if (failures >= mostAttempts) return false;
        const wait = delayAfter(failures, { first: firstWaitMs, longest: LONGEST_WAIT }, Math.random());
        await sleep(Math.max(outcome.afterMs ?? 0, wait), undefined, { signal }).catch(() => {});
      }
      return false;
    },
    giveUp() {
      if (failures > 0) ended.abort();
    },
    close: () => post.close(),
  };
}
