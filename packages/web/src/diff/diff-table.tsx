import { Fragment, type ReactNode, useMemo } from "react";
import { visible } from "../text/visible.ts";
import { Colours, useColours } from "./colours.ts";
import styles from "./diff.module.css";
import { chunksOf, DiffChunk } from "./diff-chunk.tsx";
import type { DiffFile, DiffHunk } from "./parse-diff.ts";
import { type DiffLayout, rowsOf } from "./rows.ts";
import { useSideScroll } from "./use-side-scroll.ts";

interface DiffTableProps {
  file: DiffFile;
  layout: DiffLayout;
  label: string;
  /** Whether the path stands above the table: a diff of several files. */
  hasName?: boolean;
  actions?: ((hunk: DiffHunk, file: DiffFile) => ReactNode) | undefined;
}

/** The changes of one file. Long lines scroll inside; of long diffs only the rows near the screen are in the document. */
export function DiffTable({ file, layout, label, hasName = false, actions }: DiffTableProps) {
  const hunks = useMemo(
    () => file.hunks.map((hunk) => ({ hunk, chunks: chunksOf(rowsOf(hunk, layout)) })),
    [file, layout],
  );
  const longest = useMemo(() => longestLine(file), [file]);
  const scroll = useSideScroll();
  const colours = useColours(file, file.path || label);
  const total = hunks.reduce((sum, { chunks }) => sum + chunks.reduce((rows, { length }) => rows + length, 0), 0);
  const isLong = total > MAX_WHOLE_ROWS;
  let row = 1;
  return (
    <div className={styles.diff} data-layout={layout}>
      {hasName && <p className={`mono ${styles.name}`}>{visible(file.path)}</p>}
      {noteOf(file).map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
      {file.hunks.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <section ref={scroll.box} className={styles.scroll} aria-label={`Diff of ${visible(label)}`} tabIndex={0}>
          <table
            className={styles.table}
            aria-rowcount={total + 1}
            style={{ "--longest": Math.min(longest, MAX_WIDTH), "--digits": digitsOf(file) } as React.CSSProperties}
          >
            <caption>{visible(label)}</caption>
            <ColumnHeads layout={layout} />
            <Colours value={colours}>
              {hunks.map(({ hunk, chunks }) => (
                <Fragment key={hunk.index}>
                  <HunkHead file={file} hunk={hunk} columns={columns[layout].length} actions={actions} />
                  {chunks.map((rows) => {
                    const first = row + 1;
                    row += rows.length;
                    return <DiffChunk key={first} rows={rows} first={first} layout={layout} isLazy={isLong} />;
                  })}
                </Fragment>
              ))}
            </Colours>
          </table>
        </section>
      )}
      {layout === "split" && longest > SHORT_LINE && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <section ref={scroll.bar} className={styles.bar} aria-label="Scroll long lines" tabIndex={0}>
          <i style={{ "--longest": Math.min(longest, MAX_WIDTH) } as React.CSSProperties} />
        </section>
      )}
      {file.isCut && <p className={styles.note}>The diff is cut here: more lines follow in the file.</p>}
    </div>
  );
}

/** Shorter diffs are in the document as a whole, so that the browser finds text in them. */
const MAX_WHOLE_ROWS = 1_000;
/** Lines up to this length fit beside each other on a laptop. */
const SHORT_LINE = 60;
const MAX_WIDTH = 20_000;

function HunkHead({
  file,
  hunk,
  columns,
  actions,
}: { file: DiffFile; hunk: DiffHunk; columns: number } & Pick<DiffTableProps, "actions">) {
  return (
    <tbody className={styles.hunk}>
      <tr>
        <th colSpan={columns} scope="colgroup" data-hunk={hunk.index} tabIndex={-1}>
          <div>
            <span className="cut">{titleOf(file, hunk)}</span>
            <span className="push">{actions?.(hunk, file)}</span>
          </div>
        </th>
      </tr>
    </tbody>
  );
}

function titleOf(file: DiffFile, { range, heading }: DiffHunk): string {
  const isWhole = file.hunks.length === 1;
  if (file.change === "create" && isWhole) return "new file";
  if (file.change === "delete" && isWhole) return "deleted file";
  return range === "" ? "changed lines" : `@@ ${range} @@ ${visible(heading)}`;
}

/** What the rows do not show. */
function noteOf(file: DiffFile): string[] {
  return [
    ...(file.from === undefined
      ? []
      : [`${file.change === "copy" ? "Copied" : "Renamed"} from ${visible(file.from)}.`]),
    ...(file.mode === undefined ? [] : [`The permissions changed: ${visible(file.mode)}.`]),
    ...(file.isBinary ? ["The file is binary, so its change is not shown line by line."] : []),
    ...(file.isCrlf ? ["The lines end with CRLF."] : []),
    ...(file.hunks.length === 0 && !file.isBinary && file.mode === undefined && file.from === undefined
      ? [
          { create: "A new, empty file.", delete: "An empty file is deleted." }[file.change as string] ??
            "No lines changed.",
        ]
      : []),
  ];
}

/** How many digits the line numbers have, at least 2. */
function digitsOf({ hunks }: DiffFile): number {
  const last = hunks.at(-1)?.lines.at(-1);
  return Math.max(2, String(Math.max(last?.old ?? 0, last?.new ?? 0)).length);
}

function longestLine({ hunks }: DiffFile): number {
  let longest = 0;
  for (const { lines } of hunks) for (const { text } of lines) longest = Math.max(longest, text.length);
  return longest;
}

const columns = {
  unified: [
    ["Old line", "number"],
    ["New line", "number"],
    ["Change", "sign"],
    ["Text", "code"],
  ],
  split: [
    ["Old line", "number"],
    ["Change of the old line", "sign"],
    ["Old text", "code"],
    ["New line", "number"],
    ["Change of the new line", "sign"],
    ["New text", "code"],
  ],
} as const;

const widths = { number: styles.numberColumn, sign: styles.signColumn, code: "" } as const;

function ColumnHeads({ layout }: { layout: DiffLayout }) {
  return (
    <>
      <colgroup>
        {columns[layout].map(([name, width]) => (
          <col key={name} className={widths[width]} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns[layout].map(([name]) => (
            <th key={name} scope="col">
              <span className="heard">{name}</span>
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}
