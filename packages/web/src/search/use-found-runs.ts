import type { RunRecord } from "@spoor/protocol/client";
import { useEffect, useState } from "react";
import { client } from "../live/client.ts";
import { isEmpty, parseFilter, queryOf } from "../runs/filter.ts";
import { messageOf } from "../ui/message-of.ts";
import { useStored } from "../ui/stored.ts";
import { recentRuns } from "./recent-runs.ts";

/** Milliseconds without a key press after which the server is asked. */
const PAUSE_MS = 120;
const MOST = 8;

export interface FoundRuns {
  /** The text that was searched; empty for the runs that were opened last. */
  readonly text: string;
  readonly runs: readonly RunRecord[];
  readonly problem?: string;
}

/** The runs of the whole log that a text finds; without one, the runs that were opened last, or else the newest. */
export function useFoundRuns(text: string): FoundRuns {
  const recent = useStored(recentRuns);
  const [found, set] = useState<FoundRuns>({ text: "", runs: [] });
  useEffect(() => {
    const end = new AbortController();
    const read = async () => {
      try {
        const runs = text === "" ? await opened(recent, end.signal) : await search(text, end.signal);
        if (!end.signal.aborted) set({ text, runs });
      } catch (error) {
        if (!end.signal.aborted) set({ text, runs: [], problem: messageOf(error) });
      }
    };
    const timer = setTimeout(() => void read(), text === "" ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [text, recent]);
  return found;
}

async function search(text: string, signal: AbortSignal): Promise<readonly RunRecord[]> {
  const filter = parseFilter(text);
  // The keys of the list narrow here, too. An unknown one is a word, such as the first of a title "fix: the parser".
  const isPlain = filter.unknown.length > 0 || isEmpty(filter, "all");
  return (await client.runs.list({ ...(isPlain ? { q: text } : queryOf(filter, "all")), limit: MOST }, { signal }))
    .data;
}

async function opened(ids: readonly string[], signal: AbortSignal): Promise<readonly RunRecord[]> {
  // A run may have been removed since.
  const found = await Promise.all(ids.map((id) => client.runs.get(id, { signal }).catch(() => undefined)));
  const runs = found.filter((run) => run !== undefined);
  return runs.length > 0 ? runs : (await client.runs.list({ limit: MOST }, { signal })).data;
}
