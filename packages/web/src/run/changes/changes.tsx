import { useCallback, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { parseDiff } from "../../diff/parse-diff.ts";
import { routes } from "../../routes.ts";
import { announce } from "../../ui/announce.ts";
import { plural } from "../../ui/format.ts";
import { useKeys } from "../../ui/keys.ts";
import { Loading } from "../../ui/loading.tsx";
import { useStored } from "../../ui/stored.ts";
import type { RunScreenProps } from "../run-screen-props.ts";
import { AllButtons } from "./all-buttons.tsx";
import { AskDialog, type AskedFile } from "./ask-dialog.tsx";
import { type ChangedFile, changedFiles, withSum } from "./changed-files.ts";
import styles from "./changes.module.css";
import { areTogether, choicesOf, selectedChanges } from "./choices.ts";
import { diffForm, useDiffForm } from "./diff-form.ts";
import { FileCard } from "./file-card.tsx";
import { FileTree } from "./file-tree.tsx";
import { FormSwitch } from "./form-switch.tsx";
import { isLookedAt, lookedAt, withLookedAt } from "./looked-at.ts";
import type { Verb } from "./patch-requests.ts";
import { useDrawnFiles } from "./use-drawn-files.ts";
import { useFileNavigation } from "./use-file-navigation.ts";
import { usePatches } from "./use-patches.ts";
import { useRunDiff } from "./use-run-diff.ts";
import { carryOut, type Wish } from "./wishes.ts";

type AskedWish = Pick<Wish, "verb" | "changes" | "hunk"> & { readonly file: ChangedFile };

/** What a run changed: the files, their diffs, and what can be done with each. */
export default function Changes({ runId, snapshot }: RunScreenProps) {
  const { view, state, replay } = snapshot;
  const isPast = replay !== undefined;
  const { patches, state: read, version, reload } = usePatches(runId, view, state === "ready");
  const told = useMemo(() => changedFiles(view, patches, isPast), [view, patches, isPast]);
  const hasSeveral = told.some(({ changes }) => changes.length > 1);
  const sums = useRunDiff(runId, isPast ? view.lastSequence : undefined, version, hasSeveral);
  const files = useMemo(() => told.map((file) => withSum(file, sums)), [told, sums]);
  const [selections, setSelections] = useState<Readonly<Record<string, string>>>({});
  const [asked, setAsked] = useState<AskedWish>();
  const { form, hasChoice } = useDiffForm();
  const seen = useStored(lookedAt);
  const list = useRef<HTMLElement>(null);
  const isShown = files.length > 0 && state !== "loading" && read !== "loading";
  const { drawn, draw, drawMore } = useDrawnFiles(files);
  const navigation = useFileNavigation(list, files, isShown, draw);
  const isLive = state === "ready" && view.end === undefined;

  const isSeen = (file: ChangedFile) => isLookedAt(seen, runId, file);
  const setSeen = (file: ChangedFile, isOn: boolean) =>
    lookedAt.write(withLookedAt(lookedAt.read(), runId, file, isOn));
  const selectionOf = (file: ChangedFile) =>
    selections[file.path] ?? (areTogether(file) ? "all" : (file.changes.at(-1)?.key ?? "all"));
  const wish = useCallback(
    ({ file, ...rest }: AskedWish, word?: string) => {
      void carryOut({ ...rest, runId, path: file.path, word, isLive }, reload);
      announce(`${rest.verb} ${file.path}: sending.`);
    },
    [runId, isLive, reload],
  );
  // A button says what it does.
  const press = (wanted: AskedWish) => (asksFirst(wanted) ? setAsked(wanted) : wish(wanted));
  const askFor = (verb: Verb) => {
    const file = navigation.file();
    if (isPast) return false;
    const changes = file && choicesOf(selectedChanges(file, selectionOf(file)))[verb];
    if (!file || !changes || changes.length === 0) return false;
    setAsked({ verb, file, changes });
  };

  useKeys({
    j: () => navigation.moveHunk(1),
    k: () => navigation.moveHunk(-1),
    "]": () => navigation.moveFile(1),
    "[": () => navigation.moveFile(-1),
    v: () => {
      const file = navigation.file();
      if (file) setSeen(file, !isSeen(file));
    },
    s: () => hasChoice && diffForm.write(form === "split" ? "unified" : "split"),
    "shift+a": () => askFor("apply"),
    "shift+r": () => askFor("reject"),
    u: () => askFor("revert"),
  });

  if (state === "loading" || read === "loading") return <Loading />;
  if (files.length === 0)
    return (
      <main id="main" className={`page ${styles.empty}`}>
        <p>{emptyWords(read === "failed", isLive)}</p>
        <Link className="btn" href={routes.run(runId)}>
          Read the conversation
        </Link>
      </main>
    );
  return (
    <div className={styles.grid}>
      {hasChoice && <FormSwitch form={form} />}
      <FileTree files={files} drawn={drawn} current={navigation.current} isSeen={isSeen} onOpen={navigation.open}>
        {!isPast && <AllButtons runId={runId} files={files} reload={reload} isLive={isLive} />}
      </FileTree>
      <main id="main" ref={list} className={styles.list}>
        {read === "failed" && (
          <p className={styles.reason}>
            The stored changes could not be read, so nothing can be applied or reverted now.{" "}
            <button type="button" className="btn small" onClick={() => void reload()}>
              Try again
            </button>
          </p>
        )}
        {drawn.map((file) => (
          <FileCard
            key={file.path}
            {...{ runId, file, form, isPast, isSeen: isSeen(file), selection: selectionOf(file) }}
            onSeen={(isOn) => setSeen(file, isOn)}
            onSelect={(selection) => setSelections((before) => ({ ...before, [file.path]: selection }))}
            onWish={(wanted) => press({ ...wanted, file })}
          />
        ))}
        {drawn.length < files.length && (
          <p className={styles.reason}>
            {`${plural(files.length - drawn.length, "more file")} are not shown yet. `}
            <button type="button" className="btn small" onClick={drawMore}>
              Show more
            </button>
          </p>
        )}
      </main>
      {asked && (
        <AskDialog
          {...{ verb: asked.verb, hunk: asked.hunk, isLive, files: filesOf(asked) }}
          onClose={() => setAsked(undefined)}
          onDo={(word) => {
            setAsked(undefined);
            wish(asked, word);
          }}
        />
      )}
    </div>
  );
}

/** A rejection asks for a word. An approval may be about more files than the one whose button was pressed. */
const asksFirst = ({ verb, changes }: AskedWish): boolean =>
  verb === "reject" || changes.some(({ approval }) => approval);

function filesOf({ changes, file }: AskedWish): readonly AskedFile[] {
  const diff = changes.find(({ approval }) => approval)?.approval?.diff;
  const files = diff === undefined ? [] : parseDiff(diff);
  return files.length > 1 ? files : [file];
}

function emptyWords(hasFailed: boolean, isLive: boolean): string {
  if (hasFailed) return "The changes of this run could not be read.";
  return isLive ? "This run has not changed any file yet." : "This run changed no files.";
}
