/** What screen readers are told. The frame has one polite and one assertive region; every part of the page speaks here. */

type Listener = (text: string) => void;

const listeners: Record<"polite" | "assertive", Set<Listener>> = { polite: new Set(), assertive: new Set() };

/** Tells something that can wait, in one sentence. At most one sentence in 3 s is read; a newer one replaces one that waits. */
export const announce = (sentence: string): void => tell("polite", sentence);

/** Tells at once what a person must act on: "Needs you: run rm notes.txt, high risk". */
export const announceNow = (sentence: string): void => tell("assertive", sentence);

/** For the frame: hears what is told. */
export function onAnnouncement(urgency: "polite" | "assertive", listener: Listener): () => void {
  listeners[urgency].add(listener);
  return () => listeners[urgency].delete(listener);
}

function tell(urgency: "polite" | "assertive", sentence: string): void {
  for (const listener of listeners[urgency]) listener(sentence);
}
