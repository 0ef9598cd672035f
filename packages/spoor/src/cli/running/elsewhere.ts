import type { DecidedElsewhere, ToldElsewhere } from "../../runtime/execution/door.ts";

/** What the terminal of a run shows of people in other terminals. */
export interface Elsewhere {
  onDecided(decided: DecidedElsewhere): void;
  onTold(told: ToldElsewhere): void;
}

export const decidedText = ({ decision, by, comment }: DecidedElsewhere): string =>
  sentence(decision === "approved" ? "Approved" : "Refused", by, comment);

export const toldText = ({ kind, by, reason }: ToldElsewhere): string => sentence(words[kind], by, reason);

const words = { cancel: "Cancelled", interrupt: "Interrupted", pause: "Paused", unpause: "Unpaused" } as const;

const sentence = (what: string, by: string, why: string | undefined): string =>
  `${what} by ${by}${why ? `: ${why.replace(/[.\s]+$/, "")}` : ""}.`;
