import { useCallback, useEffect, useRef, useState } from "react";

/** How long a follow-up can be taken back. What the agent has read cannot be unread. */
const HOLD_MS = 3_000;

/** A follow-up on its way to the agent. */
export interface Queued {
  readonly text: string;
  /** How many prompts the run had before. */
  readonly after: number;
  /** It has not been sent yet. */
  readonly isHeld: boolean;
}

/** Holds a follow-up for a moment before it is sent. Who leaves the page by a link has it sent at once. */
export function useQueued(send: (text: string) => void) {
  const [queued, set] = useState<Queued>();
  const latest = useRef({ queued, send });
  latest.current = { queued, send };
  const release = useCallback(() => {
    const { queued: held } = latest.current;
    if (!held?.isHeld) return;
    set({ ...held, isHeld: false });
    latest.current.send(held.text);
  }, []);
  const isHeld = queued?.isHeld === true;
  useEffect(() => {
    if (!isHeld) return;
    const timer = setTimeout(release, HOLD_MS);
    return () => clearTimeout(timer);
  }, [isHeld, release]);
  useEffect(() => release, [release]);
  return {
    queued,
    hold: (text: string, after: number) => set({ text, after, isHeld: true }),
    release,
    drop: useCallback(() => set(undefined), []),
  };
}
