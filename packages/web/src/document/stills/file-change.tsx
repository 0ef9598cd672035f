import type { FileView } from "@spoor/protocol";
import { Link } from "wouter";
import { Diff } from "../../diff/diff.tsx";
import { routes } from "../../routes.ts";
import styles from "../../run/conversation/cards/cards.module.css";
import { shortDiff } from "../../run/conversation/words/short-diff.ts";
import { relativePath } from "../../run/relative-path.ts";
import { useRunFacts } from "../../run/run-context.ts";
import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";

/** A change of a file inside a card: its first lines. All of it is among the changes. */
export function FileChange({ file }: { file: FileView }) {
  const { runId, workspace } = useRunFacts();
  const path = relativePath(file.path, workspace);
  const short = file.diff === undefined ? undefined : shortDiff(file.diff);
  return (
    <div className={styles.change}>
      {short ? (
        <Diff text={short.text} label={path} isOpen />
      ) : (
        <p className={styles.quietLine}>The diff of this change is not in the file.</p>
      )}
      <div className={styles.foot}>
        <span className="dim">
          {file.status}
          {file.reason && (
            <>
              {": "}
              <VisibleText text={file.reason} />
            </>
          )}
          {short?.isCut && `, ${short.shown} of ${short.all} lines shown`}
        </span>
        <Link className={styles.open} href={routes.file(runId, path)}>
          Review <Icon name="right" small />
        </Link>
      </div>
    </div>
  );
}
