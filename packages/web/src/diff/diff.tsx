import { type ReactNode, useMemo, useState } from "react";
import { visible } from "../text/visible.ts";
import styles from "./diff.module.css";
import { DiffTable } from "./diff-table.tsx";
import { changedLines, type DiffFile, type DiffHunk, parseDiff } from "./parse-diff.ts";
import type { DiffLayout } from "./rows.ts";

interface DiffProps {
  /** A unified diff of one file or of several. Absent: it was not kept. */
  text: string | undefined;
  layout?: DiffLayout;
  /** What the table is called, such as the path of the file. */
  label?: string;
  /** Buttons in the head of a hunk. Hunks are counted from 0 in each file. */
  actions?: ((hunk: DiffHunk, file: DiffFile) => ReactNode) | undefined;
  /** Shown at once, however long it is. */
  isOpen?: boolean;
}

/** Diffs with more changed lines than this are shown when asked for. */
export const MAX_OPEN_LINES = 400;

/** A diff as a table: one for each file. */
export function Diff({ text, layout = "unified", label, actions, isOpen = false }: DiffProps) {
  const files = useMemo(() => (text === undefined ? [] : parseDiff(text)), [text]);
  const changed = changedLines(files);
  const [wanted, setWanted] = useState(false);
  if (text === undefined) return <ClosedDiff reason="The diff of this change was not kept." />;
  if (files.length === 0)
    return <ClosedDiff reason={text.trim() ? "This is not a diff." : "Nothing changed."} raw={text} />;
  if (changed > MAX_OPEN_LINES && !isOpen && !wanted)
    return <ClosedDiff reason={`${changed.toLocaleString("en")} changed lines.`} open={() => setWanted(true)} />;
  return files.map((file, index) => (
    <DiffTable
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff may name one file twice, and its files never move.
      key={index}
      file={file}
      layout={layout}
      label={label ?? file.path}
      hasName={files.length > 1}
      actions={actions}
    />
  ));
}

/** What stands in the place of a diff that is not shown: why, and how to see it. */
export function ClosedDiff({ reason, raw, open }: { reason: string; raw?: string; open?: () => void }) {
  return (
    <div className={styles.closed}>
      <span>{reason}</span>
      {open && (
        <button type="button" className="btn small" onClick={open}>
          Show the diff
        </button>
      )}
      {raw?.trim() && <RawText text={raw} />}
    </div>
  );
}

function RawText({ text }: { text: string }) {
  return <pre className={styles.raw}>{visible(text.slice(0, 20_000))}</pre>;
}
