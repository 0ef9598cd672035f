import type { RunEnd } from "@spoor/protocol";
import { throughDoor } from "../../../text/through-door.ts";
import { visibleLine } from "../../../text/visible.ts";

/** How a run ended, in a few words: "Done.", "Cancelled in a terminal (ann).", "Failed: rate limited." */
export function endWords({ status, code, by }: RunEnd): string {
  if (status === "completed") return "Done.";
  if (status === "cancelled") return `Cancelled${throughDoor(by)}.`;
  const why = code?.split(".").at(-1)?.replaceAll("_", " ");
  return why ? `Failed: ${visibleLine(why)}.` : "Failed.";
}
