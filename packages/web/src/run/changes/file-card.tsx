import { type ReactNode, useRef, useState } from "react";
import { Link } from "wouter";
import { ClosedDiff, Diff, MAX_OPEN_LINES } from "../../diff/diff.tsx";
import type { DiffLayout } from "../../diff/rows.ts";
import { useIsNear } from "../../diff/use-is-near.ts";
import { routes } from "../../routes.ts";
import { visibleLine } from "../../text/visible.ts";
import { VisibleText } from "../../text/visible-text.tsx";
import { Counts } from "../../ui/counts.tsx";
import { count } from "../../ui/format.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import type { Change, ChangedFile } from "./changed-files.ts";
import styles from "./changes.module.css";
import { areTogether, choicesOf, type Selection, selectedChanges, verbOfHunk } from "./choices.ts";
import { PatchButtons, VerbButton } from "./patch-buttons.tsx";
import { usePatchDiff } from "./patch-diff.ts";
import { RequestNote } from "./request-note.tsx";
import { StatusChip } from "./status-chip.tsx";
import type { Wish } from "./wishes.ts";
import { useRequest } from "./wishes.ts";

interface FileCardProps {
  runId: string;
  file: ChangedFile;
  form: DiffLayout;
  isSeen: boolean;
  /** The run is shown as it was: nothing can be done. */
  isPast: boolean;
  selection: Selection;
  onSeen: (isSeen: boolean) => void;
  onSelect: (selection: Selection) => void;
  onWish: (wish: Pick<Wish, "verb" | "changes" | "hunk">) => void;
}

/** One file: what happened to it, what can be done with it, and its diff. */
export function FileCard(props: FileCardProps) {
  const { runId, file, isSeen, isPast, selection, onSeen, onWish } = props;
  const card = useRef<HTMLElement>(null);
  const [isOpened, setOpened] = useState(false);
  const isNear = useIsNear(card, true);
  const wasNear = useRef(false);
  wasNear.current ||= isNear;
  const request = useRequest({ runId, path: file.path });
  const chosen = selectedChanges(file, selection);
  const choices = choicesOf(chosen);
  const review = isPast || choices.apply.length > 0 ? undefined : chosen.find(({ approval }) => approval)?.approval;
  const status = request?.phase === "sending" ? "sending" : file.isPartial ? "partial" : file.status;
  return (
    <article
      ref={card}
      className={`card ${styles.card}`}
      data-path={file.path}
      tabIndex={-1}
      aria-label={visibleLine(file.path)}
    >
      <header>
        <Icon name={icons[file.kind]} small />
        <h3 className={`mono ${styles.agentText}`}>
          <VisibleText text={file.path} />
        </h3>
        <Counts additions={file.additions} deletions={file.deletions} />
        <StatusChip status={status} />
        <From runId={runId} changes={chosen} />
        <span className="push" />
        {!isPast && <PatchButtons choices={choices} request={request} onWish={onWish} />}
        {review && (
          <Link className="btn small" href={routes.approvals(review.id)}>
            Review
          </Link>
        )}
        <label className={styles.seen}>
          <input type="checkbox" checked={isSeen} onChange={(event) => onSeen(event.target.checked)} />
          <i>
            <Icon name="tick" />
          </i>
          Looked at
        </label>
      </header>
      <RequestNote runId={runId} file={file} changes={chosen} request={request} />
      <Switch {...props} />
      {choices.why && !isPast && <p className={styles.reason}>{choices.why}</p>}
      {chosen.map(({ key, reason }) => reason && <Reason key={key} text={reason} />)}
      {wasNear.current ? (
        <ChangeDiff
          {...props}
          isOpened={isOpened}
          onOpen={() => setOpened(true)}
          isSending={request?.phase === "sending"}
        />
      ) : (
        <div className={styles.later} />
      )}
    </article>
  );
}

const icons: Readonly<Record<ChangedFile["kind"], IconName>> = { edit: "edit", create: "fileNew", delete: "delete" };

/** Turn and tool that made the changes, as a link to the conversation. */
function From({ runId, changes }: { runId: string; changes: readonly Change[] }) {
  const change = changes.at(-1);
  if (!change) return null;
  const words = [
    change.turn === undefined ? "" : `turn ${change.turn}`,
    change.isOutside ? "not by this run" : (change.subagent?.name ?? change.tool ?? ""),
  ].filter(Boolean);
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : "";
  if (words.length === 0) return null;
  const label = <VisibleText text={words.join(" · ") + more} />;
  const href = change.subagent
    ? routes.run(change.subagent.runId)
    : change.sequence === undefined
      ? undefined
      : routes.event(runId, change.sequence);
  return href ? (
    <Link className={styles.from} href={href} title="Show in the conversation">
      {label}
    </Link>
  ) : (
    <span className={styles.from}>{label}</span>
  );
}

/** Several changes of one file are one diff; each can be shown by itself. */
function Switch({ file, selection, onSelect }: FileCardProps) {
  if (file.changes.length < 2) return null;
  const options = [
    ...(areTogether(file) ? [{ key: "all", label: "All changes" }] : []),
    ...file.changes.map((change) => ({ key: change.key, label: nameOf(change) })),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this row.
    <div className={`seg ${styles.switch}`} role="group" aria-label="Which change">
      {options.map(({ key, label }) => (
        <button key={key} type="button" aria-pressed={selection === key} onClick={() => onSelect(key)}>
          <VisibleText text={label} />
        </button>
      ))}
    </div>
  );
}

const nameOf = ({ turn, tool, subagent, isOutside, status }: Change): string =>
  `${turn === undefined ? "" : `turn ${turn} · `}${isOutside ? "outside" : (subagent?.name ?? tool ?? "change")}${status === "applied" ? "" : `, ${status}`}`;

const Reason = ({ text }: { text: string }) => (
  <p className={styles.reason}>
    <VisibleText text={text} />
  </p>
);

interface ChangeDiffProps extends FileCardProps {
  isOpened: boolean;
  isSending: boolean;
  onOpen: () => void;
}

function ChangeDiff(props: ChangeDiffProps) {
  const chosen = selectedChanges(props.file, props.selection);
  if (chosen.length < 2 || props.file.sum !== undefined) return <OneDiff {...props} />;
  return chosen.map((change) => (
    <div key={change.key}>
      <Reason text={nameOf(change)} />
      <OneDiff {...props} selection={change.key} />
    </div>
  ));
}

/** The diff of one change, or of all changes together. */
function OneDiff({ file, form, isPast, selection, onWish, isOpened, isSending, onOpen }: ChangeDiffProps) {
  const chosen = selectedChanges(file, selection);
  const isSum = chosen.length > 1;
  const change = isSum ? undefined : chosen[0];
  const changed = isSum ? 0 : (change?.additions ?? 0) + (change?.deletions ?? 0);
  const isClosed = changed > MAX_OPEN_LINES && !isOpened;
  const loaded = usePatchDiff(change?.patch?.id, !isClosed);
  if (isClosed) return <ClosedDiff reason={`${count(changed)} changed lines.`} open={onOpen} />;
  const text = isSum ? file.sum : (change?.diff ?? (loaded.state === "ready" ? loaded.text : undefined));
  if (text === undefined && change?.patch && loaded.state === "loading") return <div className={styles.later} />;
  if (loaded.state === "failed") return <ClosedDiff reason="The diff could not be read. It is tried again." />;
  const actions =
    change === undefined || isPast
      ? undefined
      : (hunk: { index: number }): ReactNode => {
          const verb = verbOfHunk(change, hunk.index);
          if (!verb) return null;
          return (
            <VerbButton
              verb={verb}
              of="hunk"
              isOff={isSending}
              onPress={() => onWish({ verb, changes: [change], hunk: hunk.index })}
            />
          );
        };
  return <Diff text={text} layout={form} label={file.path} actions={actions} isOpen={isOpened} />;
}
