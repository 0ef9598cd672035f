import type { RunSpans, RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";
import type { StripPart } from "./time-strip.ts";

/** One run of the comparison. */
export interface Column {
  readonly id: string;
  /** Absent until it is known, and for a run that is not there. */
  readonly record: RunRecord | undefined;
  readonly view: RunView;
  readonly state: "loading" | "ready" | "missing";
  readonly spans: RunSpans | undefined;
  /** How long it took, or takes so far, in milliseconds. */
  readonly length: number;
  readonly strip: readonly StripPart[];
}

/** What a run was asked. */
export const promptOf = ({ view, record }: Pick<Column, "view" | "record">): string =>
  view.prompts[0]?.text.trim() || record?.title || "";
