import type { ApprovalView } from "@spoor/protocol";
import { useEffect, useState } from "react";
import { client } from "../live/client.ts";
import { untilAnswered } from "../live/until-answered.ts";

/** `partial`: the server kept only a part, and the rest was not found. It cannot be approved by its looks. */
export interface WholeAction {
  readonly approval: ApprovalView;
  readonly state: "whole" | "loading" | "partial";
}

/** The approval with its whole input and diff. Long ones are cut in the request and stored elsewhere in full. */
export function useWholeAction(approval: ApprovalView, runId: string): WholeAction {
  const { id, truncated = false, diffArtifactId, toolCallId } = approval;
  const isCut = truncated || diffArtifactId !== undefined;
  const [loaded, setLoaded] = useState<{ id: string; found: Found | undefined }>();
  useEffect(() => {
    if (!isCut) return;
    const end = new AbortController();
    const wanted = { runId, toolCallId, diffArtifactId, truncated };
    // A server that does not answer has not said that a part is missing.
    void untilAnswered(() => load(wanted, end.signal), end.signal)
      .catch(() => undefined)
      .then((found) => {
        if (!end.signal.aborted) setLoaded({ id, found });
      });
    return () => end.abort();
  }, [isCut, id, runId, toolCallId, diffArtifactId, truncated]);
  if (!isCut) return { approval, state: "whole" };
  if (loaded?.id !== id) return { approval, state: "loading" };
  if (!loaded.found) return { approval, state: "partial" };
  const { diff: _, ...rest } = approval;
  return { approval: { ...rest, ...loaded.found }, state: "whole" };
}

interface Found {
  readonly input?: unknown;
  readonly diff?: string;
}

interface Wanted {
  readonly runId: string;
  readonly toolCallId: string | undefined;
  readonly diffArtifactId: string | undefined;
  readonly truncated: boolean;
}

/** Everything that was cut, or undefined if a part of it is missing. */
async function load(
  { runId, toolCallId, diffArtifactId, truncated }: Wanted,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const diff = diffArtifactId === undefined ? undefined : (await client.artifacts.get(diffArtifactId, { signal })).diff;
  if (diffArtifactId !== undefined && diff === undefined) return undefined;
  const input = truncated && toolCallId !== undefined ? await inputOf(runId, toolCallId, signal) : undefined;
  if (truncated && input === undefined) return undefined;
  return { ...(diff !== undefined && { diff }), ...(input !== undefined && { input }) };
}

/** The event of a call has its whole input. */
async function inputOf(runId: string, toolCallId: string, signal: AbortSignal): Promise<unknown> {
  let found: unknown;
  for await (const { data } of client.events.list(runId, { event_type: withInput, limit: 1000, signal })) {
    for (const { data: fields } of data) {
      const { tool_call_id, input } = fields as { tool_call_id?: unknown; input?: unknown };
      if (tool_call_id === toolCallId && input !== undefined) found = input;
    }
  }
  return found;
}

const withInput = ["assistant.tool_call_proposed", "tool.invoked"] as const;
