import type { GapView } from "@spoor/protocol";
import { count, day } from "../../../ui/format.ts";

/** What is missing, and why, in one sentence. */
export function gapWords({ type, reason, firstSequence, lastSequence, action, message, at }: GapView): string {
  if (type === "gap.run_disconnected")
    return [lost[reason ?? ""] ?? "The process of the run was lost.", next[action ?? ""], message]
      .filter(Boolean)
      .join(" ");
  if (type === "gap.recording_limited")
    return message ?? "The recording limit was reached. Later events are missing, except costs and the end.";
  if (type === "gap.artifact_capped") return message ?? "An artifact was too large to be stored whole.";
  const events = rangeOf(firstSequence, lastSequence);
  if (type === "gap.events_pruned") return `${events} were pruned${at ? ` on ${day(at)}` : ""}`;
  return `${events} ${damages[reason ?? ""] ?? "are missing"}${message ? `. ${message}` : ""}`;
}

const rangeOf = (first: number | undefined, last: number | undefined): string =>
  first === undefined || last === undefined ? "Some events" : `Events ${count(first)} to ${count(last)}`;

const damages: Readonly<Record<string, string>> = {
  corrupt: "are damaged and cannot be shown",
  truncated: "were lost with the end of the log",
  missing: "are missing from the log",
};

const lost: Readonly<Record<string, string>> = {
  boot_reconcile: "The process of the run was gone when Spoor started.",
  worker_lease_expired: "The process of the run was not heard of for too long.",
  resume_checkpoint_unavailable: "The run could not be taken up where it stopped.",
};

const next: Readonly<Record<string, string>> = {
  requeued: "It is taken up again.",
  start_fresh: "It begins anew.",
  failed: "The run ended here.",
};
