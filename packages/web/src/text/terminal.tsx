import type { ShellView } from "@spoor/protocol";
import { useMemo } from "react";
import { bytes } from "../ui/format.ts";
import { joined } from "../ui/joined.ts";
import styles from "./terminal.module.css";
import { lastPieces, type TerminalLine, type TerminalRun, terminalLines } from "./terminal-lines.ts";
import { VisibleText } from "./visible-text.tsx";

/** How much of an output is shown: its last lines while the command runs, later its first and last ones, or all. */
type TerminalExtent = "short" | "all";

/** A command and its output, on the ground of a terminal in both themes. */
export function Terminal({ shell, extent }: { shell: ShellView; extent: TerminalExtent }) {
  const parts = useMemo(() => partsOf(shell, extent), [shell, extent]);
  return (
    <pre
      className={`term ${styles.term} ${extent === "all" ? styles.all : ""}`}
      tabIndex={extent === "all" ? 0 : undefined}
    >
      {shell.command !== "" && (
        <div>
          <span className="d">$</span>{" "}
          <span className="cmd">
            <VisibleText text={shell.command} />
          </span>
        </div>
      )}
      {joined(parts, (part) => (typeof part === "string" ? <Omission text={part} /> : <Line line={part} />))}
    </pre>
  );
}

const Omission = ({ text }: { text: string }) => <div className="d">{`  … ${text}`}</div>;

const Line = ({ line: { stream, runs } }: { line: TerminalLine }) => (
  <div className={stream === "stderr" ? styles.stderr : styles.line}>{joined(runs, Run)}</div>
);

const Run = ({ text, style }: TerminalRun) => (
  <span className={style || undefined}>
    <VisibleText text={text} />
  </span>
);

/** Lines, and between them sentences about what is left out. */
function partsOf(shell: ShellView, extent: TerminalExtent): (TerminalLine | string)[] {
  const { head, tail, omittedBytes, running } = shell;
  const dropped = omittedBytes > 0 ? [`${bytes(omittedBytes)} are not shown`] : [];
  if (running && extent === "short") {
    const all = [...head, ...tail];
    const lines = terminalLines(lastPieces(all, SHORT, 20_000)).slice(-SHORT);
    const hidden = shell.stdoutBytes + shell.stderrBytes - size(lines);
    return hidden > 64 && lines.length === SHORT ? [`${bytes(hidden)} before this are not shown`, ...lines] : lines;
  }
  const first = terminalLines(head);
  const last = terminalLines(tail);
  if (extent === "all") return [...first, ...dropped, ...last];
  const lines = [...first, ...last];
  if (lines.length <= FIRST + LAST + 1 && omittedBytes === 0) return lines;
  const hidden = lines.length - FIRST - LAST;
  const between = [hidden > 0 && `${hidden} lines are folded`, ...dropped].filter((text) => text !== false);
  return [...lines.slice(0, FIRST), between.join(", "), ...lines.slice(-LAST)];
}

/** How many lines of an output are shown: while it runs, and at the beginning and the end afterwards. */
const SHORT = 12;
const FIRST = 4;
const LAST = 8;

/** Whether lines are folded in the short form. */
export const isFolded = ({ head, tail, omittedBytes, running }: ShellView): boolean =>
  !running && (omittedBytes > 0 || breaks(head) + breaks(tail) > FIRST + LAST + 1);

const breaks = (pieces: ShellView["head"]): number =>
  pieces.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);

const size = (lines: readonly TerminalLine[]): number =>
  lines.reduce((sum, { runs }) => sum + 1 + runs.reduce((length, { text }) => length + text.length, 0), 0);
