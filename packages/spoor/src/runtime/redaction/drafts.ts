import type { LogDraft } from "../../log/log.ts";
import { REPLACEMENT_START } from "./found.ts";
import type { Redactor } from "./index.ts";
import { mapTexts, pathsHolding } from "./values.ts";

/** A draft of an event that Spoor itself writes, with its texts redacted. */
export function draftOf(
  type: string,
  timestamp: number,
  data: Record<string, unknown>,
  { redact }: Redactor,
): LogDraft {
  const redacted = mapTexts(data, redact);
  const json = JSON.stringify(redacted);
  return { type, timestamp, json: redacted === data ? json : withRedactedPaths(json) };
}

/** Adds `redacted_paths`, which lists the fields that contain a replacement. */
export function withRedactedPaths(json: string): string {
  if (!json.includes(REPLACEMENT_START)) return json;
  const data = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify({ ...data, redacted_paths: pathsHolding(data, REPLACEMENT_START) });
}
