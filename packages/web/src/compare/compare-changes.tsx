import { countDiff } from "@spoor/protocol";
import { useState } from "react";
import { Link } from "wouter";
import { Diff } from "../diff/diff.tsx";
import { routes } from "../routes.ts";
import { VisibleText } from "../text/visible-text.tsx";
import { AgentTile } from "../ui/agent-tile.tsx";
import { Counts } from "../ui/counts.tsx";
import { ApplyChanges } from "./apply-changes.tsx";
import type { Column } from "./column.ts";
import styles from "./compare.module.css";
import { compareFiles } from "./file-ways.ts";
import type { AllChanges } from "./use-run-changes.ts";

/** Which files the runs changed, whether in the same way, and the diffs of one file side by side. */
export function CompareChanges({ columns, changed }: { columns: readonly Column[]; changed: AllChanges }) {
  const { of, reload } = changed;
  const [selected, select] = useState<string>();
  const shown = columns.filter(({ state }) => state === "ready");
  const changes = shown.map(({ id }) => of(id));
  const files = compareFiles(changes.map(({ diffs }) => diffs));
  // What differs is what people come for.
  const first = files.find(({ ways }) => ways > 1) ?? files[0];
  const file = files.find(({ path }) => path === selected) ?? first;
  if (changes.some(({ state }) => state === "loading")) return null;
  if (!file)
    return (
      <section>
        <h2 className={styles.section}>Changes</h2>
        <p className="dim">None of these runs changed a file.</p>
      </section>
    );
  return (
    <section>
      <h2 className={styles.section}>Changes</h2>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this row. */}
      <div className={`seg ${styles.files}`} role="group" aria-label="File">
        {files.map(({ path, words }) => (
          <button key={path} type="button" aria-pressed={path === file.path} onClick={() => select(path)}>
            <span className={styles.agentText}>
              <VisibleText text={path} />
            </span>
            {words && <span className="count">{words}</span>}
          </button>
        ))}
      </div>
      <div className={styles.sides} style={{ "--runs": shown.length } as React.CSSProperties}>
        {shown.map(({ id, record }, index) => {
          const diff = file.diffs[index];
          const own = changes[index];
          return (
            <div key={id} className={`card ${styles.side}`}>
              <header>
                <AgentTile agent={record?.agent ?? "?"} />
                <Link className="cut" href={routes.file(id, file.path)}>
                  <VisibleText text={record?.agent ?? id} />
                </Link>
                {diff !== undefined && <Counts {...countDiff(diff)} />}
                <span className="push" />
                {own && <ApplyChanges runId={id} agent={record?.agent ?? id} changes={own} onDone={reload} />}
              </header>
              {diff === undefined ? (
                <p className={styles.untouched}>Did not touch this file.</p>
              ) : (
                <Diff text={diff || undefined} label={`${file.path} by ${record?.agent ?? id}`} />
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}
