import type { RunView, TimeSegment } from "@spoor/protocol";
import { messageOf } from "../../ui/message-of.ts";
import { advance, type Speed } from "./play-clock.ts";
import type { ReplayIndex } from "./replay-index.ts";

/**
 * Which moment of the run is shown.
 *
 * - `at` is absent: the run as it is. Entered by `leave`, and when playing reaches the end.
 * - `at` is set: the run as it was. Entered by `seek` and `play`. `view` follows as soon as its events are read.
 */
export interface ReplayState {
  readonly at?: number;
  readonly view?: RunView;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  /** Why the past cannot be shown. */
  readonly problem?: string;
}

/** A snapshot of the past is made at most this often while the run is replayed. */
const VIEW_EVERY_MS = 100;

interface Platform {
  now(): number;
  frame(callback: () => void): number;
  cancelFrame(handle: number): void;
}

const browser: Platform = {
  now: () => performance.now(),
  frame: (callback) => requestAnimationFrame(callback),
  cancelFrame: (handle) => cancelAnimationFrame(handle),
};

/** The replay of one run, shared by all its views. */
export class ReplayStore {
  #state: ReplayState = { isPlaying: false, speed: 8 };
  readonly #listeners = new Set<() => void>();
  readonly #index: ReplayIndex;
  readonly #platform: Platform;
  #segments: readonly TimeSegment[] = [];
  #frame: number | undefined;
  #lastFrame = 0;
  #isShowing = false;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(index: ReplayIndex, at?: number, platform: Platform = browser) {
    this.#index = index;
    if (at !== undefined) this.#state = { ...this.#state, at };
    this.#platform = platform;
  }

  readonly read = (): ReplayState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What the time was spent on, so that idle times and waits can be cut. */
  setSegments(segments: readonly TimeSegment[]): void {
    this.#segments = segments;
  }

  seek(at: number): void {
    this.#set({ ...this.#state, at: Math.max(0, at) });
    void this.#show();
  }

  /** Shows the run as it is. */
  leave(): void {
    this.#stop();
    const { speed } = this.#state;
    this.#set({ isPlaying: false, speed });
  }

  play(): void {
    const end = this.#segments.at(-1)?.to ?? 0;
    const at = this.#state.at === undefined || this.#state.at >= end ? 0 : this.#state.at;
    this.#set({ ...this.#state, at, isPlaying: true });
    void this.#show();
    this.#lastFrame = this.#platform.now();
    this.#frame ??= this.#platform.frame(this.#tick);
  }

  pause(): void {
    this.#stop();
    this.#set({ ...this.#state, isPlaying: false });
    void this.#show();
  }

  setSpeed(speed: Speed): void {
    this.#set({ ...this.#state, speed });
  }

  close(): void {
    this.leave();
    this.#index.close();
  }

  readonly #tick = (): void => {
    this.#frame = undefined;
    const { at, isPlaying, speed } = this.#state;
    if (!isPlaying || at === undefined) return;
    const now = this.#platform.now();
    // A hidden page gets no frames; what it missed is not played in one jump.
    const elapsed = Math.min(now - this.#lastFrame, 250);
    this.#lastFrame = now;
    const next = advance(at, elapsed, speed, this.#segments);
    if (next >= (this.#segments.at(-1)?.to ?? 0)) {
      this.leave();
      return;
    }
    this.#set({ ...this.#state, at: next });
    if (now - this.#shownAt >= VIEW_EVERY_MS) void this.#show();
    this.#frame = this.#platform.frame(this.#tick);
  };

  /** Makes the view of the moment. While one is made, the head may move on; then the next one is made. */
  async #show(): Promise<void> {
    if (this.#isShowing) return;
    this.#isShowing = true;
    try {
      for (let shown: number | undefined; this.#state.at !== undefined && this.#state.at !== shown; ) {
        shown = this.#state.at;
        this.#shownAt = this.#platform.now();
        const view = await this.#index.viewAt(shown);
        const { problem: _, ...state } = this.#state;
        if (state.at !== undefined) this.#set({ ...state, view });
        if (state.isPlaying) break;
      }
    } catch (error) {
      if (this.#state.at === undefined) return;
      this.#stop();
      const problem = messageOf(error);
      this.#set({ ...this.#state, isPlaying: false, problem });
    } finally {
      this.#isShowing = false;
    }
  }

  #stop(): void {
    if (this.#frame !== undefined) this.#platform.cancelFrame(this.#frame);
    this.#frame = undefined;
  }

  #set(state: ReplayState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
