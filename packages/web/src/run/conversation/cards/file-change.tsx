import type { FileView } from "@spoor/protocol";
import type { ArtifactRecord } from "@spoor/protocol/client";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { Diff } from "../../../diff/diff.tsx";
import { client } from "../../../live/client.ts";
import { routes } from "../../../routes.ts";
import { VisibleText } from "../../../text/visible-text.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { AskDialog } from "../../changes/ask-dialog.tsx";
import type { Change } from "../../changes/changed-files.ts";
import { choicesOf, verbOfHunk } from "../../changes/choices.ts";
import { PatchButtons, VerbButton } from "../../changes/patch-buttons.tsx";
import { carryOut, useRequest, type Wish } from "../../changes/wishes.ts";
import { relativePath } from "../../relative-path.ts";
import { useRunFacts } from "../../run-context.ts";
import { shortDiff } from "../words/short-diff.ts";
import styles from "./cards.module.css";

/** This file is a chunk of its own, with the table of diffs. It is loaded when the first change is shown. */

/** A change of a file inside a card: its first lines, and what can be done with it. All of it is among the changes. */
export default function FileChange({ file, children }: { file: FileView; children?: ReactNode }) {
  const { runId, workspace, isPast, isOver } = useRunFacts();
  const path = relativePath(file.path, workspace);
  const { record, state, reload } = usePatch(file);
  const change = useMemo(() => changeOf(file, record), [file, record]);
  const request = useRequest({ runId, path });
  const [asked, ask] = useState<Pick<Wish, "verb" | "changes" | "hunk">>();
  const text = file.diff ?? record?.diff;
  const short = text === undefined ? undefined : shortDiff(text);
  const isSending = request?.phase === "sending";
  // The line of the card says that a change was applied.
  const told = file.status === "applied" && !file.reason ? "" : file.status;
  return (
    <div className={styles.change}>
      {state === "loading" && text === undefined && (
        <p className={styles.quietLine} aria-busy="true">
          Loading the diff…
        </p>
      )}
      {state === "missing" && text === undefined && (
        <p className={styles.quietLine}>The diff of this change was not kept.</p>
      )}
      {short && (
        <Diff
          text={short.text}
          label={path}
          isOpen
          actions={({ index }) => {
            const verb = isPast || short.isCut ? undefined : verbOfHunk(change, index);
            if (!verb || (change.patch?.stats?.hunks ?? 1) < 2) return null;
            return (
              <VerbButton
                verb={verb}
                of="hunk"
                isOff={isSending}
                onPress={() => ask({ verb, changes: [change], hunk: index })}
              />
            );
          }}
        />
      )}
      {request && !isSending && (
        <p className={`${styles.quietLine} ${styles.bad}`} role="alert">
          {request.phase === "conflict" ? "The file on disk is not as this needs it. Nothing was written. " : ""}
          <VisibleText text={request.told ?? ""} />
        </p>
      )}
      <div className={styles.foot}>
        <span className="dim">
          {isSending ? "sending…" : told}
          {file.reason && (
            <>
              {": "}
              <VisibleText text={file.reason} />
            </>
          )}
          {short?.isCut && `${told && ", "}${short.shown} of ${short.all} lines shown`}
        </span>
        {children}
        {!isPast && <PatchButtons choices={choicesOf([change])} request={request} onWish={ask} />}
        <Link className={styles.open} href={routes.file(runId, path)}>
          Review <Icon name="right" small />
        </Link>
      </div>
      {asked && (
        <AskDialog
          verb={asked.verb}
          files={[{ path, additions: file.additions ?? 0, deletions: file.deletions ?? 0 }]}
          hunk={asked.hunk}
          isLive={!isOver}
          onClose={() => ask(undefined)}
          onDo={(word) => {
            ask(undefined);
            void carryOut({ ...asked, runId, path, word, isLive: !isOver }, reload);
          }}
        />
      )}
    </div>
  );
}

/** The stored patch of a change. It is read again when an event says that its status changed. */
function usePatch({ artifactId, status }: FileView): {
  record?: ArtifactRecord;
  state: "ready" | "loading" | "missing";
  reload: () => Promise<void>;
} {
  const [read, set] = useState<{ id: string; record: ArtifactRecord | undefined }>();
  const load = useRef(async () => {});
  load.current = async () => {
    if (artifactId === undefined) return;
    const record = await client.artifacts.get(artifactId).catch(() => undefined);
    set({ id: artifactId, record });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another status means another record.
  useEffect(() => void load.current(), [artifactId, status]);
  const reload = () => load.current();
  if (artifactId === undefined) return { state: "missing", reload };
  if (read?.id !== artifactId) return { state: "loading", reload };
  return read.record ? { record: read.record, state: "ready", reload } : { state: "missing", reload };
}

/** The change in the form in which the screen of changes knows it. */
function changeOf(file: FileView, record: ArtifactRecord | undefined): Change {
  const kind = file.operation === "delete" ? "delete" : file.operation === "create" ? "create" : "edit";
  return {
    key: record?.id ?? file.path,
    path: file.path,
    status:
      record?.status === "applied" || record?.status === "proposed" || record?.status === "reverted"
        ? record.status
        : file.status,
    kind,
    ...(record && { patch: record }),
    isOutside: record?.attribution === "outside",
    isPartial: false,
  };
}
