/**
 * The few things of the platform that the client uses, as browsers and Node both have them. Our own types: this package
 * sees the libraries of neither.
 */

export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  /** Neither answers nor streams are for a browser's cache. */
  cache: "no-store";
  signal: Signal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ByteStream | null;
  text(): Promise<string>;
}

export interface ByteStream {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };
}

/** The platform's own `AbortSignal` wherever its types are known, so that its `fetch` takes ours and we take its. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } } ? Known : LeastSignal;

interface LeastSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Time and chance. Tests bring their own. */
export interface Clock {
  /** Epoch milliseconds. Wall-clock time, which goes on while a laptop sleeps. */
  now(): number;
  /** Resolves after so long, or at once when the signal is aborted; never rejects. */
  sleep(ms: number, signal: Signal): Promise<void>;
  /** A float in [0, 1). */
  random(): number;
}

declare const fetch: Fetch;
declare const setTimeout: (callback: () => void, ms: number) => unknown;
declare const clearTimeout: (timer: unknown) => void;
declare const AbortController: new () => { readonly signal: Signal; abort(reason?: unknown): void };

// Called by its name: a browser's fetch refuses to be called as the method of another object.
export const platformFetch: Fetch = (url, init) => fetch(url, init);

export const platformClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(ms, LONGEST_MS));
      signal.addEventListener("abort", wake);
    }),
  random: Math.random,
};

/** A timer for longer than this, and for ever, would go off at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Something that can be stopped by itself, and is when what it belongs to stops. */
export interface Scope {
  readonly signal: Signal;
  abort(reason?: unknown): void;
  /** Stops it and lets go of the outer signal, which may live on for long. */
  end(): void;
}

export function createScope(outer?: Signal): Scope {
  const controller = new AbortController();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  outer?.addEventListener("abort", follow);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end() {
      outer?.removeEventListener("abort", follow);
      controller.abort();
    },
  };
}
