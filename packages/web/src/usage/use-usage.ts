import type { UsageAnswer } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import { client } from "../live/client.ts";
import { useNow } from "../ui/use-now.ts";
import { beginOf, lastDays, timeZone } from "./days.ts";

interface UsageSnapshot {
  readonly days: readonly string[];
  /** Absent while it is read for the first time. */
  readonly usage?: UsageAnswer;
  readonly failed?: string;
}

/** What the runs of the last days used. It is read again every half minute while the page is in view. */
export function useUsage(range: number): UsageSnapshot {
  const now = useNow(30_000);
  const [read, setRead] = useState<{ range: number; usage?: UsageAnswer; failed?: string }>();
  const days = lastDays(range, now);
  const first = days[0] ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: `now` says when to read again
  useEffect(() => {
    const end = new AbortController();
    const query = { by: "day,agent,model,source", from: beginOf(first).toISOString(), time_zone: timeZone() };
    client
      .usage(query, { signal: end.signal })
      .then((usage) => setRead({ range, usage }))
      .catch((error: Error) => {
        // What was read before stays on the page.
        if (!end.signal.aborted) setRead((before) => (before?.usage ? before : { range, failed: error.message }));
      });
    return () => end.abort();
  }, [range, first, now]);
  if (read?.range !== range) return { days };
  return { days, ...(read.usage && { usage: read.usage }), ...(read.failed !== undefined && { failed: read.failed }) };
}
