import { Link } from "wouter";
import { routes } from "../../routes.ts";
import { visibleLine } from "../../text/visible.ts";
import { Counts } from "../../ui/counts.tsx";
import { Icon } from "../../ui/icon.tsx";
import { relativePath } from "../relative-path.ts";
import type { RunScreenProps } from "../run-screen-props.ts";
import { changedFiles } from "./changed-files.ts";
import styles from "./panel.module.css";
import { useSums } from "./use-sums.ts";

/** How many files are listed. */
const MOST = 8;

/** The files that the run changed. Each leads to its diff. */
export function ChangesPart({ runId, snapshot: { view, replay } }: RunScreenProps) {
  const { files, workspacePath: workspace } = view;
  const changed = changedFiles(files, workspace, useSums(runId, view, replay !== undefined));
  if (changed.length === 0) return null;
  return (
    <section className={styles.changes}>
      <h2>
        Changes{" "}
        <Link className={styles.link} href={routes.run(runId, "changes")}>
          Review <Icon name="right" small />
        </Link>
      </h2>
      <ul className={`${styles.files} mono`}>
        {changed.slice(0, MOST).map(({ path, letter, additions, deletions, tag }) => (
          <li key={path}>
            <span className={`${styles.op} ${letter === "A" ? styles.new : letter === "D" ? styles.del : ""}`}>
              {letter}
            </span>
            <Link className="cut" href={routes.file(runId, relativePath(path, workspace))} title={visibleLine(path)}>
              {visibleLine(relativePath(path, workspace))}
            </Link>
            {tag ? (
              <span className="tag">{tag}</span>
            ) : (
              <Counts additions={additions} deletions={deletions} className="" />
            )}
          </li>
        ))}
      </ul>
      {changed.length > MOST && (
        <p className="dim">
          and{" "}
          <Link className={styles.link} href={routes.run(runId, "changes")}>
            {changed.length - MOST} more
          </Link>
        </p>
      )}
    </section>
  );
}
