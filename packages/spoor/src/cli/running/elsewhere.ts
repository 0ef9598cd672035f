import type { DecidedElsewhere, ToldElsewhere } from "../../runtime/execution/door.ts";

/** What the terminal of a run shows of people in other terminals. */
export interface Elsewhere {
  onDecided(decided: DecidedElsewhere): void;
  onTold(told: ToldElsewhere): void;
}

/** What is shown instead of a question that somebody else has answered. */
export const decidedText = ({ decision, by, comment }: DecidedElsewhere): string =>
  `▲ ${decision === "approved" ? "approved" : "denied"} from ${placeOf(by)}${comment ? `: ${comment.trim()}` : ""}`;

/** The page and other programs answer through the server. */
const placeOf = (by: string): string =>
  by.startsWith("cli") ? `another terminal (${by})` : by === "http" ? "another tab" : by;

export const toldText = ({ kind, by, reason }: ToldElsewhere): string => sentence(words[kind], by, reason);

const words = { cancel: "Cancelled", interrupt: "Interrupted", pause: "Paused", unpause: "Unpaused" } as const;

const sentence = (what: string, by: string, why: string | undefined): string =>
  `${what} by ${by}${why ? `: ${why.replace(/[.\s]+$/, "")}` : ""}.`;
