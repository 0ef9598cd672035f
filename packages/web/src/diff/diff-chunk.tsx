import { memo, useRef } from "react";
import styles from "./diff.module.css";
import { DiffCode } from "./diff-code.tsx";
import type { DiffLine } from "./parse-diff.ts";
import type { DiffLayout, DiffRow } from "./rows.ts";
import { useIsNear } from "./use-is-near.ts";

/** Rows that come into the document and leave it together. */
export const DiffChunk = memo(function DiffChunk({ rows, first, layout, isLazy }: DiffChunkProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isNear = useIsNear(body, isLazy);
  return (
    <tbody ref={body}>
      {isNear ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a diff never move.
        rows.map((row, index) => <Row key={first + index} row={row} position={first + index} />)
      ) : (
        <tr className={styles.far}>
          <td colSpan={layout === "unified" ? 4 : 6} style={{ height: `${rows.length * ROW_HEIGHT}px` }} />
        </tr>
      )}
    </tbody>
  );
});

interface DiffChunkProps {
  rows: readonly DiffRow[];
  /** The number of the first row, from 1. */
  first: number;
  layout: DiffLayout;
  isLazy: boolean;
}

/** All rows have one height: lines do not wrap. */
const ROW_HEIGHT = 20;
const CHUNK_ROWS = 150;

export const chunksOf = (rows: readonly DiffRow[]): DiffRow[][] =>
  Array.from({ length: Math.ceil(rows.length / CHUNK_ROWS) }, (_, index) =>
    rows.slice(index * CHUNK_ROWS, (index + 1) * CHUNK_ROWS),
  );

function Row({ row, position }: { row: DiffRow; position: number }) {
  if (row.kind === "line") {
    const { line, partner } = row;
    return (
      <tr aria-rowindex={position} className={toneOf[line.sign]}>
        <td className={styles.number}>{line.old}</td>
        <td className={styles.number}>{line.new}</td>
        <Sign line={line} />
        <Code line={line} partner={partner} />
      </tr>
    );
  }
  return (
    <tr aria-rowindex={position}>
      <Half line={row.old} partner={row.new} side="old" />
      <Half line={row.new} partner={row.old} side="new" />
    </tr>
  );
}

function Half({
  line,
  partner,
  side,
}: {
  line: DiffLine | undefined;
  partner: DiffLine | undefined;
  side: "old" | "new";
}) {
  const second = side === "new" ? styles.second : "";
  if (!line) return <td colSpan={3} className={`${styles.nothing} ${second}`} />;
  const tone = toneOf[line.sign];
  return (
    <>
      <td className={`${styles.number} ${tone} ${second}`}>{line[side]}</td>
      <Sign line={line} tone={tone} />
      <Code line={line} partner={partner} tone={tone} />
    </>
  );
}

function Sign({ line, tone = "" }: { line: DiffLine; tone?: string | undefined }) {
  return (
    <td className={`${styles.sign} ${tone}`}>
      {line.sign !== " " && (
        <>
          <span aria-hidden="true">{line.sign === "+" ? "+" : "−"}</span>
          <span className="heard">{line.sign === "+" ? "added" : "removed"}</span>
        </>
      )}
    </td>
  );
}

function Code({
  line,
  partner,
  tone = "",
}: {
  line: DiffLine;
  partner: DiffLine | undefined;
  tone?: string | undefined;
}) {
  return (
    <td className={`${styles.code} ${tone}`}>
      <span>
        <DiffCode line={line} partner={partner?.sign === line.sign ? undefined : partner} />
        {line.noNewline && <em className={styles.end}>no line break at the end</em>}
      </span>
    </td>
  );
}

const toneOf = { "+": styles.added, "-": styles.removed, " ": "" } as const;
