import type { RunView } from "@spoor/protocol";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { TRY_AGAIN_MS } from "../../live/until-answered.ts";
import { allPatches } from "./all-patches.ts";
import type { Patch } from "./changed-files.ts";

export interface Patches {
  readonly patches: readonly Patch[];
  readonly state: "loading" | "ready" | "failed";
  /** Counts up with each reading. */
  readonly version: number;
  /** Reads them again. Resolves when what is shown is at least as new as this call. */
  readonly reload: () => Promise<void>;
}

/** The stored patches of a run and of its subagents. They are read again whenever an event told of a change, and after a reading that failed. */
export function usePatches(runId: string, view: RunView, isReady: boolean): Patches {
  const [read, set] = useState<Omit<Patches, "reload">>({ patches: [], state: "loading", version: 0 });
  const [isStale, setStale] = useState(false);
  const { files, artifacts, subagents } = view;
  const children = useMemo(
    () => subagents.flatMap(({ childRunId, name }) => (childRunId ? [{ runId: childRunId, name }] : [])),
    [subagents],
  );
  const latest = useRef({ runId, children });
  latest.current = { runId, children };
  const queue = useRef<Promise<void>>(Promise.resolve());
  const waiting = useRef<Promise<void>>(undefined);

  // Many events arrive together: while one reading is under way, at most one more waits.
  const reload = useCallback((): Promise<void> => {
    waiting.current ??= queue.current.then(async () => {
      waiting.current = undefined;
      const patches = await readPatches(latest.current).catch(() => undefined);
      set((before) => ({
        patches: patches ?? before.patches,
        state: patches ? "ready" : before.state === "ready" ? "ready" : "failed",
        version: before.version + 1,
      }));
      setStale(patches === undefined);
    });
    queue.current = waiting.current;
    return waiting.current;
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists of the view are what tells of changes.
  useEffect(() => {
    if (isReady) void reload();
  }, [runId, isReady, files, artifacts, children, reload]);

  const { version } = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reading that failed leads to another one.
  useEffect(() => {
    if (!isStale) return;
    const timer = setTimeout(() => void reload(), TRY_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isStale, version, reload]);

  return useMemo(() => ({ ...read, reload }), [read, reload]);
}

interface Family {
  runId: string;
  children: readonly { runId: string; name: string }[];
}

async function readPatches({ runId, children }: Family): Promise<Patch[]> {
  const lists = await Promise.all([
    allPatches(runId).then((records) => records.map((record): Patch => ({ record }))),
    ...children.map((subagent) =>
      allPatches(subagent.runId)
        .then((records) => records.map((record): Patch => ({ record, subagent })))
        // The run of a subagent may be pruned.
        .catch(() => []),
    ),
  ]);
  return lists.flat();
}
