import { countDiff, type RunView } from "@spoor/protocol";
import { Diff } from "../diff/diff.tsx";
import { diffsByPath } from "../diff/diffs-by-path.ts";
import { type ChangedFile, changedFiles as filesOf } from "../run/changes/changed-files.ts";
import styles from "../run/changes/changes.module.css";
import { StatusChip } from "../run/changes/status-chip.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Counts } from "../ui/counts.tsx";
import { plural } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { joined } from "../ui/joined.ts";
import { fileId } from "./stills/routes.ts";

/** The files that the run changed, each with the sum of its changes where that is known. */
export function changedFiles(view: RunView, diff: string | undefined): ChangedFile[] {
  const sums = diff === undefined ? undefined : diffsByPath(diff);
  return filesOf(view, []).map((file) => {
    const sum = sums?.get(file.path);
    const isSummed = file.changes.length > 1 && file.changes.every(({ status }) => status === "applied");
    if (sum === undefined || !isSummed) return file;
    return { ...file, sum, ...countDiff(sum) };
  });
}

export const FilesHead = ({ files }: { files: readonly ChangedFile[] }) => (
  <h2 id="changes">
    Changes <span className="dim">{plural(files.length, "file")}</span>
  </h2>
);

const icons = { edit: "edit", create: "fileNew", delete: "delete" } as const;

/** One file: what happened to it, and its diffs. */
export function FileSection({ file }: { file: ChangedFile }) {
  const diffs = file.sum === undefined ? file.changes.map(({ diff }) => diff) : [file.sum];
  const last = file.changes.at(-1);
  const from = [last?.turn === undefined ? "" : `turn ${last.turn}`, last?.subagent?.name ?? last?.tool ?? ""];
  const more = file.changes.length > 1 ? ` and ${file.changes.length - 1} more` : "";
  return (
    <article className={`card ${styles.card}`} id={fileId(file.path)}>
      <header>
        <Icon name={icons[file.kind]} small />
        <h3 className={`mono ${styles.agentText}`}>
          <VisibleText text={file.path} />
        </h3>
        <Counts additions={file.additions} deletions={file.deletions} />
        <StatusChip status={file.isPartial ? "partial" : file.status} />
        <a className={styles.from} href={last?.sequence === undefined ? undefined : `#e${last.sequence}`}>
          <VisibleText text={from.filter(Boolean).join(" · ") + more} />
        </a>
      </header>
      {joined(diffs, (diff) => (
        <Diff text={diff} label={file.path} isOpen />
      ))}
    </article>
  );
}
