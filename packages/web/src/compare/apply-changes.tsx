import { countDiff } from "@spoor/protocol";
import { SpoorClientError } from "@spoor/protocol/client";
import { useState } from "react";
import { client } from "../live/client.ts";
import { isUnanswered, once } from "../live/once.ts";
import { AskDialog } from "../run/changes/ask-dialog.tsx";
import { announce } from "../ui/announce.ts";
import type { RunChanges } from "./use-run-changes.ts";

interface ApplyChangesProps {
  runId: string;
  agent: string;
  changes: RunChanges;
  onDone: () => void;
}

/**
 * Writes what a run changed: from its worktree to the folder it was made from, or what is proposed or was reverted to its
 * own folder.
 */
export function ApplyChanges({ runId, agent, changes, onDone }: ApplyChangesProps) {
  const [isAsking, setAsking] = useState(false);
  const [failed, setFailed] = useState<{ error: string; outcome?: string }>();
  const [isSending, setSending] = useState(false);
  const [isDone, setDone] = useState(false);
  const { origin, open, diffs } = changes;
  if (isDone) return <span className="dim">Applied</span>;
  if (origin === undefined && open.length === 0) return changes.isStored ? <span className="dim">Applied</span> : null;
  const files =
    origin === undefined
      ? open.map(({ target_path = "", stats }) => ({
          path: target_path,
          additions: stats?.additions ?? 0,
          deletions: stats?.deletions ?? 0,
        }))
      : [...diffs].map(([path, diff]) => ({ path, ...countDiff(diff) }));
  const apply = async () => {
    setSending(true);
    setFailed(undefined);
    try {
      const body = origin === undefined ? { artifact_ids: open.map(({ id }) => id) } : ({ target: "origin" } as const);
      await once(["apply", runId, body], (call) => client.runs.apply(runId, body, call));
      setAsking(false);
      setDone(origin !== undefined);
      announce(`The changes of ${agent} are applied.`);
      onDone();
    } catch (failure) {
      if (!(failure instanceof SpoorClientError)) throw failure;
      const outcome = "It is not known whether anything was written. Trying again does it only once.";
      setFailed({ error: failure.message, ...(isUnanswered(failure) && { outcome }) });
    } finally {
      setSending(false);
    }
  };
  return (
    <>
      <button type="button" className="btn quiet small" onClick={() => setAsking(true)}>
        Apply its changes
      </button>
      {isAsking && (
        <AskDialog
          {...{ verb: "apply", files, isLive: false, isSending, ...failed }}
          where={origin}
          onClose={() => {
            setFailed(undefined);
            setAsking(false);
          }}
          onDo={() => void apply()}
        />
      )}
    </>
  );
}
