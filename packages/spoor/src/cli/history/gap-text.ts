import type { Envelope, GapView } from "@spoor/protocol";
import { brief } from "../render/brief.ts";

/** Says what is missing in a run, or what went wrong with its recording. */
export function gapText({ type, data }: Pick<Envelope, "type" | "data">): string {
  const { reason, message, first_pruned_sequence, last_pruned_sequence, first_lost_sequence, last_lost_sequence } =
    data;
  const because = reason ? ` (${reason})` : "";
  const why = message ? `: ${brief(message)}` : "";
  switch (type) {
    case "gap.events_pruned": {
      const range = rangeText(first_pruned_sequence, last_pruned_sequence, "was", "were");
      return `${range} pruned${dayOf(data.pruned_at)}${because}`;
    }
    case "gap.events_lost":
      return `${rangeText(first_lost_sequence, last_lost_sequence, "is", "are")} lost${because}`;
    case "gap.recording_limited":
      return `the recording ended at its limit${bytesOf(data.limit_bytes)}${why}`;
    case "gap.run_disconnected":
      return `the run lost its process${because}${why}`;
    case "gap.artifact_capped":
      return `an artifact${bytesOf(data.size_bytes)} exceeds the limit${bytesOf(data.limit_bytes)}${why}`;
    default:
      return `${type.slice("gap.".length)} ${brief(JSON.stringify(data))}`;
  }
}

/** The same of a gap in the view of a run, which keeps less of it. */
export const gapLine = ({ type, reason, message, firstSequence: first, lastSequence: last, at }: GapView): string =>
  gapText({
    type,
    data: {
      ...{ reason, message, pruned_at: at },
      ...{ first_pruned_sequence: first, last_pruned_sequence: last },
      ...{ first_lost_sequence: first, last_lost_sequence: last },
    },
  });

/** A gap without a last sequence reaches to the end of the run. */
function rangeText(first: unknown, last: unknown, one: string, many: string): string {
  if (first === last) return `event ${number(first)} ${one}`;
  const range = last === undefined ? `from ${number(first)} on` : `${number(first)} to ${number(last)}`;
  return `events ${range} ${many}`;
}

const number = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en") : String(value));

const bytesOf = (value: unknown): string => (value === undefined ? "" : ` of ${number(value)} bytes`);

/** The day in words: `on 1 November`. */
function dayOf(time: unknown): string {
  const date = new Date(String(time));
  if (Number.isNaN(date.getTime())) return "";
  return ` on ${date.getDate()} ${date.toLocaleString("en", { month: "long" })}`;
}
