import { SpoorClientError } from "@spoor/protocol/client";
import { useState } from "react";
import { client } from "../../live/client.ts";
import { isUnanswered, once } from "../../live/once.ts";
import { announce } from "../../ui/announce.ts";
import { useCopy } from "../../ui/copy.tsx";
import { sumCounts } from "../../ui/counts.tsx";
import { Icon } from "../../ui/icon.tsx";
import { AskDialog } from "./ask-dialog.tsx";
import type { Change, ChangedFile } from "./changed-files.ts";
import { choicesOf } from "./choices.ts";

interface AllButtonsProps {
  runId: string;
  files: readonly ChangedFile[];
  reload: () => Promise<void>;
  isLive: boolean;
}

/** Everything at once: all files are changed or none. The dialog lists them. */
export function AllButtons({ runId, files, reload, isLive }: AllButtonsProps) {
  const [asked, setAsked] = useState<"apply" | "revert">();
  const applicable = filesFor(files, "apply");
  const revertible = filesFor(files, "revert");
  return (
    <>
      {applicable.length > 1 && (
        <button type="button" className="btn small" onClick={() => setAsked("apply")}>
          <Icon name="tick" small />
          Apply all {applicable.length} proposed…
        </button>
      )}
      {revertible.length > 1 && (
        <button type="button" className="btn small" onClick={() => setAsked("revert")}>
          <Icon name="undo" small />
          Revert all {revertible.length} applied…
        </button>
      )}
      <CopyPatch runId={runId} />
      {asked && (
        <AllDialog
          verb={asked}
          {...{ runId, reload, isLive, files: asked === "apply" ? applicable : revertible }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

interface ChosenFile extends Pick<ChangedFile, "path" | "additions" | "deletions"> {
  readonly changes: readonly Change[];
}

/** The files with changes of stored patches. What waits for an approval is decided one by one. */
const filesFor = (files: readonly ChangedFile[], verb: "apply" | "revert"): ChosenFile[] =>
  files.flatMap(({ path, changes }) =>
    chosenOf(
      path,
      choicesOf(changes)[verb].filter(({ patch, status }) => patch && status !== "reverted"),
    ),
  );

/** A file with some of its changes; nothing if there are none. */
function chosenOf(path: string, changes: readonly Change[]): ChosenFile[] {
  if (changes.length === 0) return [];
  return [{ path, changes, ...sumCounts(changes) }];
}

interface AllDialogProps extends Omit<AllButtonsProps, "files"> {
  verb: "apply" | "revert";
  files: readonly ChosenFile[];
  onClose: () => void;
}

function AllDialog({ verb, files: given, runId, reload, isLive, onClose }: AllDialogProps) {
  // What was listed when the dialog opened is what is done. What is done is listed no more.
  const [files, setFiles] = useState(given);
  const [failed, setFailed] = useState<{ error: string; outcome: string }>();
  const [isSending, setSending] = useState(false);
  const carryOut = async () => {
    setSending(true);
    setFailed(undefined);
    const written = new Set<Change>();
    try {
      const changes = files.flatMap((file) => file.changes);
      const runs = [...Map.groupBy(changes, ({ subagent }) => subagent?.runId ?? runId)];
      for (const [id, own] of verb === "revert" ? runs.reverse() : runs) {
        const body = { artifact_ids: own.flatMap(({ patch }) => (patch ? [patch.id] : [])) };
        await once([verb, id, body], (call) => client.runs[verb](id, body, call));
        for (const change of own) written.add(change);
      }
      await reload();
      announce(`${given.length} files ${done[verb]}.`);
      onClose();
    } catch (failure) {
      if (!(failure instanceof SpoorClientError)) throw failure;
      const before = files.filter((file) => file.changes.some((change) => written.has(change)));
      const left = files.flatMap((file) =>
        chosenOf(
          file.path,
          file.changes.filter((change) => !written.has(change)),
        ),
      );
      setFiles(left);
      setFailed({ error: failure.message, outcome: outcomeOf(verb, isUnanswered(failure), before, left) });
      await reload();
    } finally {
      setSending(false);
    }
  };
  return <AskDialog {...{ verb, files, isLive, ...failed, isSending, onClose }} onDo={() => void carryOut()} />;
}

const done = { apply: "applied", revert: "reverted" } as const;

/** The changes of one run are written as a whole or not at all, but those of several runs one after the other. */
function outcomeOf(
  verb: keyof typeof done,
  isUnknown: boolean,
  before: readonly ChosenFile[],
  left: readonly ChosenFile[],
): string {
  const names = (files: readonly ChosenFile[]) => files.map(({ path }) => path).join(", ");
  if (before.length === 0)
    return isUnknown ? "The connection broke, so look at the files before you try again." : "Nothing was written.";
  const rest = isUnknown ? `Not known: ${names(left)}.` : `Not ${done[verb]}: ${names(left)}.`;
  return `Already ${done[verb]}: ${names(before)}. ${rest}`;
}

function CopyPatch({ runId }: { runId: string }) {
  const { told, copy } = useCopy();
  const read = async () => (await client.runs.diff(runId).catch(() => undefined))?.diff;
  return (
    <button type="button" className="btn small quiet" onClick={() => void read().then(copy)}>
      <Icon name={told === "Copied" ? "tick" : "copy"} small />
      {told ?? "Copy as patch"}
    </button>
  );
}
