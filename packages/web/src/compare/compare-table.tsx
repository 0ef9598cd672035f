import { countDiff } from "@spoor/protocol";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { routes } from "../routes.ts";
import { QuotedWords } from "../text/quoted-words.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { AgentTile } from "../ui/agent-tile.tsx";
import { Counts, sumCounts } from "../ui/counts.tsx";
import { plural, shortId, UNKNOWN } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { shownState } from "../ui/run-state.ts";
import { StateChip } from "../ui/state-chip.tsx";
import { type Column, promptOf } from "./column.ts";
import styles from "./compare.module.css";
import { type Figure, figureRows } from "./figures.ts";
import { TimeBar } from "./time-bar.tsx";
import type { AllChanges, RunChanges } from "./use-run-changes.ts";

interface CompareTableProps {
  columns: readonly Column[];
  changed: AllChanges;
  now: number;
  onRemove: (id: string) => void;
}

/**
 * A column for each run and a row for each figure. It is laid out as a grid, so that a phone can put the names of the
 * rows above their figures.
 */
export function CompareTable({ columns, changed, now, onRemove }: CompareTableProps) {
  const longest = Math.max(...columns.map(({ length }) => length));
  const found = columns.flatMap(({ record, view }) => (record ? [{ record, view }] : []));
  const prompts = new Set(columns.filter(({ state }) => state === "ready").map(promptOf));
  const style = { "--runs": columns.length } as React.CSSProperties;
  return (
    <table className={`card ${styles.table}`} aria-label="Runs side by side" data-runs={columns.length} style={style}>
      <thead>
        <tr>
          <th scope="col" className={`${styles.label} ${styles.head}`}>
            <span className="heard">Figure</span>
          </th>
          {columns.map((column) => (
            <th key={column.id} scope="col" className={`${styles.cell} ${styles.head}`}>
              <ColumnHead column={column} now={now} onRemove={onRemove} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {prompts.size > 1 && (
          <Row name="Asked" cells={columns.map((column) => [column.id, <Said key="p" text={promptOf(column)} />])} />
        )}
        <Row
          name="Said last"
          cells={columns.map(({ id, view }) => [id, <Said key="s" text={view.messages.at(-1)?.text ?? ""} />])}
        />
        <Row
          name="Over time"
          cells={columns.map((column) => [column.id, <TimeBar key="t" column={column} longest={longest} />])}
        />
        {figureRows(found, now).map(({ name, figures }) => {
          const cells = columns.map(({ id, record }): [string, ReactNode] => {
            const at = found.findIndex((run) => run.record === record);
            const figure = record && figures[at];
            return [id, figure ? <FigureCell key="f" figure={figure} /> : UNKNOWN];
          });
          return <Row key={name} name={name} cells={cells} />;
        })}
        <Row
          name="Changed"
          cells={columns.map(({ id, record }) => [id, <Changed key="c" record={record} changes={changed.of(id)} />])}
        />
      </tbody>
    </table>
  );
}

function Row({ name, cells }: { name: string; cells: readonly [id: string, cell: ReactNode][] }) {
  return (
    <tr>
      <th scope="row" className={styles.label}>
        {name}
      </th>
      {cells.map(([id, cell]) => (
        <td key={id} className={`${styles.cell} num`}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

function ColumnHead({ column, now, onRemove }: { column: Column } & Pick<CompareTableProps, "now" | "onRemove">) {
  const { id, record, state, view } = column;
  const model = record?.model ?? view.model;
  const remove = (
    <button
      type="button"
      className={`btn quiet small icon ${styles.remove}`}
      aria-label={`Remove ${record?.agent ?? "the run"} ${shortId(id)}`}
      onClick={() => onRemove(id)}
    >
      <Icon name="cross" small />
    </button>
  );
  if (!record)
    return (
      <div className={styles.top}>
        <span className="dim">{state === "missing" ? `There is no run ${shortId(id)}.` : "…"}</span>
        {remove}
      </div>
    );
  return (
    <>
      <div className={styles.top}>
        <Link className={`agent ${styles.agent}`} href={routes.run(id)}>
          <AgentTile agent={record.agent} />
          <span className="cut">
            <VisibleText text={record.agent} />
          </span>
        </Link>
        <span className={styles.state}>
          <StateChip state={shownState(record, now)} />
        </span>
        {remove}
      </div>
      <small className={styles.model}>
        {model && (
          <span className="cut">
            <VisibleText text={model} />
          </span>
        )}
        <span className="mono">{shortId(id)}</span>
      </small>
    </>
  );
}

const MAX_SAID = 300;

function Said({ text }: { text: string }) {
  if (text.trim() === "") return <span className="dim">—</span>;
  return (
    <q className={styles.said}>
      <QuotedWords text={text} most={MAX_SAID} />
    </q>
  );
}

function FigureCell({ figure }: { figure: Figure }) {
  const { text, tag, bad, share, isLeast } = figure;
  return (
    <div className={isLeast ? styles.least : undefined}>
      <div className={styles.value}>
        <span>
          {text} {tag && <span className="tag">{tag}</span>} {bad && <span className={styles.bad}>{bad}</span>}
        </span>
        {isLeast && <span className={styles.word}>least</span>}
      </div>
      <div className="meter">
        <i style={{ "--w": `${Math.max(share * 100, share > 0 || isLeast ? 2 : 0)}%` } as React.CSSProperties} />
      </div>
    </div>
  );
}

/** What its changes come to where they are stored; else what its row counts. */
function Changed({ record, changes }: { record: Column["record"]; changes: RunChanges }) {
  const { diffs, isStored } = changes;
  const files = isStored ? diffs.size : (record?.files_changed ?? 0);
  if (files === 0) return <span className="dim">nothing</span>;
  return (
    <span>
      {plural(files, "file")} <Counts {...(isStored ? sumCounts([...diffs.values()].map(countDiff)) : record)} />
    </span>
  );
}
