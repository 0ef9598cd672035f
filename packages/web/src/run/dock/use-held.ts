import { useCallback, useEffect, useRef, useState } from "react";

/** How long a follow-up can be taken back. What the agent has read cannot be unread. */
const HOLD_MS = 3_000;

interface Held {
  readonly text: string;
  /** How many prompts the run had before. */
  readonly after: number;
}

/** Holds a follow-up for a moment before it is sent. Who leaves the page by a link has it sent at once. */
export function useHeld(send: (text: string, after: number) => void) {
  const [held, set] = useState<Held>();
  const latest = useRef({ held, send });
  latest.current = { held, send };
  const release = useCallback(() => {
    const { held: one } = latest.current;
    if (!one) return;
    latest.current.held = undefined;
    set(undefined);
    latest.current.send(one.text, one.after);
  }, []);
  useEffect(() => {
    if (!held) return;
    const timer = setTimeout(release, HOLD_MS);
    return () => clearTimeout(timer);
  }, [held, release]);
  useEffect(() => release, [release]);
  return {
    held,
    hold: (text: string, after: number) => set({ text, after }),
    release,
    takeBack: () => set(undefined),
  };
}
