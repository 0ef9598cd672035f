import type { Log } from "../../../log/log.ts";
import { measuresOf } from "../measures.ts";
import type { OtlpResource, OtlpSpan } from "../otlp.ts";
import { spansOf, tracesOf } from "../trace.ts";
import { readRun } from "./ended-runs.ts";

/** A request holds at most so many spans and about so many bytes: receivers have limits, and so has our memory. */
const MOST_SPANS = 1_000;
const MOST_BYTES = 1_048_576;

/** Whether a run is exported. One that was made from another run's tape is not: no model was called for it. */
export async function isExported(log: Log, run_id: string): Promise<boolean> {
  const run = await log.run(run_id);
  return run !== undefined && run.renormalized_from_run_id === undefined;
}

export async function spansOfRun(
  log: Log,
  run_id: string,
  content: boolean,
  signal?: AbortSignal,
): Promise<OtlpSpan[]> {
  const folded = await readRun(log, run_id, signal);
  return folded ? spansOf(folded, { content }) : [];
}

export async function measuresOfRun(log: Log, run_id: string, signal?: AbortSignal) {
  const folded = await readRun(log, run_id, signal);
  return folded ? measuresOf(folded) : [];
}

/** Cuts spans into requests. */
export function* requestsOf(spans: readonly OtlpSpan[], resource: OtlpResource) {
  let from = 0;
  let bytes = 0;
  for (const [index, span] of spans.entries()) {
    const size = sizeOf(span);
    if (index > from && (index - from >= MOST_SPANS || bytes + size > MOST_BYTES)) {
      yield tracesOf(spans.slice(from, index), resource);
      from = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (from < spans.length) yield tracesOf(spans.slice(from), resource);
}

/** About how many bytes a span takes. */
const sizeOf = ({ attributes }: OtlpSpan): number =>
  attributes.reduce((sum, { value }) => sum + 64 + ("stringValue" in value ? value.stringValue.length : 16), 400);
