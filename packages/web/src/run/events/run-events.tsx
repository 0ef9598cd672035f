import { useCallback, useEffect, useRef } from "react";
import type { Growth } from "../../events/event-window.ts";
import { EventsView } from "../../events/events-view.tsx";
import { client } from "../../live/client.ts";
import type { RunScreenProps } from "../run-screen-props.ts";

/** The raw stream of one run. */
export default function RunEvents({ runId, snapshot }: RunScreenProps) {
  const listeners = useRef(new Set<(by: Growth) => void>());
  const known = useRef(-1);
  const lastSequence = Math.max(snapshot.view.lastSequence, snapshot.record?.last_sequence ?? -1);
  useEffect(() => {
    const more = lastSequence - known.current;
    const isFirst = known.current === -1;
    if (more <= 0) return;
    known.current = lastSequence;
    if (!isFirst) for (const listener of listeners.current) listener({ count: more, upTo: lastSequence });
  }, [lastSequence]);

  const last = useCallback(async () => (await client.runs.get(runId)).last_sequence, [runId]);
  const watch = useCallback((_: unknown, grown: (by: Growth) => void) => {
    listeners.current.add(grown);
    return () => listeners.current.delete(grown);
  }, []);
  return <EventsView runId={runId} last={last} watch={watch} />;
}
