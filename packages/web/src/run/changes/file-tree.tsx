import { fragmentOf } from "../../routes.ts";
import { VisibleText } from "../../text/visible-text.tsx";
import { Counts, sumCounts } from "../../ui/counts.tsx";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { type ChangedFile, folderOf, nameOf } from "./changed-files.ts";
import styles from "./changes.module.css";
import { statuses } from "./status-chip.tsx";

interface FileTreeProps {
  files: readonly ChangedFile[];
  /** The first of them, which are listed. */
  drawn: readonly ChangedFile[];
  current: string | undefined;
  isSeen: (file: ChangedFile) => boolean;
  onOpen: (path: string) => void;
  children: React.ReactNode;
}

/** The files by folder, with their status and whether they were looked at. */
export function FileTree({ files, drawn, current, isSeen, onOpen, children }: FileTreeProps) {
  const folders = Map.groupBy(drawn, ({ path }) => folderOf(path));
  const seen = files.filter(isSeen).length;
  return (
    <nav className={styles.tree} aria-label="Files">
      <h2>
        {plural(files.length, "file")}
        <Counts {...sumCounts(files)} />
        <span className="only-phone dim">{`${seen} of ${files.length} looked at`}</span>
      </h2>
      <div className={styles.folders}>
        {[...folders].map(([folder, own]) => (
          <div key={folder}>
            <p className={styles.folder}>
              <VisibleText text={folder} />
            </p>
            <ul className={styles.files}>
              {own.map((file) => (
                <li key={file.path}>
                  <FileLink file={file} isCurrent={file.path === current} isSeen={isSeen(file)} onOpen={onOpen} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div className={styles.progress}>
        <div className="meter">
          <i style={{ "--w": `${(100 * seen) / Math.max(1, files.length)}%` } as React.CSSProperties} />
        </div>
      </div>
      <p className={`${styles.say} num`}>
        {`${seen} of ${files.length} looked at `}
        <span className="no-phone">
          · <kbd>V</kbd>
        </span>
      </p>
      <div className={styles.all}>{children}</div>
    </nav>
  );
}

function FileLink({
  file,
  isCurrent,
  isSeen,
  onOpen,
}: { file: ChangedFile; isCurrent: boolean; isSeen: boolean } & Pick<FileTreeProps, "onOpen">) {
  const { path, status, additions, deletions } = file;
  return (
    <a
      href={`#${fragmentOf(path)}`}
      aria-current={isCurrent ? "true" : undefined}
      data-seen={isSeen}
      onClick={(event) => {
        event.preventDefault();
        onOpen(path);
      }}
    >
      <Icon name={status === "applied" ? "done" : statuses[status].icon} small className={styles[status] ?? ""} />
      <span className={`cut ${styles.agentText}`}>
        <VisibleText text={nameOf(path)} />
      </span>
      <span className="heard">{`, ${statuses[status].word.toLowerCase()}${isSeen ? ", looked at" : ""}`}</span>
      <Counts additions={additions} deletions={deletions} />
    </a>
  );
}
