/**
 * The few parts of the web platform that the client uses, which browsers and Node both have. The types are our own, because
 * this package compiles without the type libraries of either.
 */

export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  /** Browsers must not cache responses or streams. */
  cache: "no-store";
  signal: CancelSignal;
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

/** The part of a WebSocket that the hub uses. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((message: { readonly data: unknown }) => void) | null;
  onclose: ((end: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export type OpenSocket = (url: string, protocols: string[]) => Socket;

/** The platform's own `AbortSignal` type if it is available, so that both sides accept each other's signals. */
export type CancelSignal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : MinimalSignal;

interface MinimalSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Time and random numbers. Tests replace them. */
export interface Clock {
  /** Epoch milliseconds. Wall-clock time also advances while a laptop sleeps. */
  now(): number;
  /** Resolves after `ms`, or when the signal is aborted. Never rejects. */
  sleep(ms: number, signal: CancelSignal): Promise<void>;
  /** A float in [0, 1). */
  random(): number;
}

declare const fetch: Fetch;
declare const WebSocket: new (url: string, protocols: string[]) => Socket;
declare const setTimeout: (callback: () => void, ms: number) => unknown;
declare const clearTimeout: (timer: unknown) => void;
declare const AbortController: new () => { readonly signal: CancelSignal; abort(reason?: unknown): void };

// A browser's fetch throws when it is called as a method of another object, so it is called by name.
export const platformFetch: Fetch = (url, init) => fetch(url, init);

export const platformSocket: OpenSocket = (url, protocols) => new WebSocket(url, protocols);

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
      const timer = setTimeout(wake, Math.min(ms, MAX_TIMER_MS));
      signal.addEventListener("abort", wake);
    }),
  random: Math.random,
};

/** A longer timer, or an infinite one, would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** An abort signal that can be aborted by itself and follows an outer signal. */
export interface Scope {
  readonly signal: CancelSignal;
  abort(reason?: unknown): void;
  /** Aborts the signal and removes the listener from the outer signal, which may live much longer. */
  end(): void;
}

export function createScope(outer?: CancelSignal): Scope {
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
