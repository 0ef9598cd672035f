import type { ApprovalRecord, RunRecord } from "@spoor/protocol/client";
import { memo, type ReactNode, useState } from "react";
import { Link } from "wouter";
import { routes } from "../routes.ts";
import { QuotedWords } from "../text/quoted-words.tsx";
import { visibleLine } from "../text/visible.ts";
import { AgentTile } from "../ui/agent-tile.tsx";
import { classes } from "../ui/classes.ts";
import { Counts } from "../ui/counts.tsx";
import { ago, cost, dayAndTime, duration, left, plural, shortId, span, UNKNOWN } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { type ShownState, shownState, silentFor } from "../ui/run-state.ts";
import { StateChip } from "../ui/state-chip.tsx";
import { useNow } from "../ui/use-now.ts";
import type { RunEntry } from "./groups.ts";
import { nowLine } from "./now-line.ts";
import styles from "./run-row.module.css";

interface RunRowProps {
  entry: RunEntry;
  approval?: ApprovalRecord | undefined;
  isSelected: boolean;
  onSelect: (runId: string) => void;
  /** Its place among all rows of its group, when not all of them are mounted. */
  place?: { index: number; of: number; top: number };
}

/** One run of the list: two lines, and a link over both. */
export const RunRow = memo(function RunRow({ entry, approval, isSelected, onSelect, place }: RunRowProps) {
  const { run, children } = entry;
  const [isOpen, setOpen] = useState(false);
  return (
    <li
      className={styles.item}
      {...(place && { "aria-posinset": place.index + 1, "aria-setsize": place.of })}
      style={place && { position: "absolute", insetInline: 0, top: place.top }}
    >
      <Row run={run} approval={approval} isSelected={isSelected} onSelect={onSelect}>
        {children.length > 0 && (
          <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? "down" : "right"} small />
            {plural(children.length, "subagent")}
          </button>
        )}
      </Row>
      {isOpen && (
        <ul className={styles.children}>
          {children.map((child) => (
            <li key={child.run_id} className={styles.item}>
              <Row run={child} isSelected={false} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
});

interface RowProps {
  run: RunRecord;
  approval?: ApprovalRecord | undefined;
  isSelected: boolean;
  onSelect?: (runId: string) => void;
  children?: ReactNode;
}

function Row({ run, approval, isSelected, onSelect, children }: RowProps) {
  const now = useNow();
  const state = shownState(run, now);
  const title = visibleLine(run.title ?? `${run.agent} ${shortId(run.run_id)}`);
  return (
    <div className={classes(styles.row, styles[state.tone], isSelected && styles.selected)} data-run={run.run_id}>
      <span className={styles.state}>
        {onSelect && (
          <label className={styles.select}>
            <input type="checkbox" checked={isSelected} onChange={() => onSelect(run.run_id)} tabIndex={-1} />
            <span className="heard">Select {title}</span>
          </label>
        )}
        <StateChip state={state} />
        <small className="num">{ageOf(run, state, approval, now)}</small>
      </span>
      <span className={styles.task}>
        <b className={styles.title}>
          <Link href={routes.run(run.run_id)} data-row>
            {title}
          </Link>
          {run.damaged && <span className="tag high">damaged</span>}
        </b>
        <small className={styles.second}>
          {children}
          <Second run={run} approval={approval} isStalled={state.id === "stalled"} />
        </small>
      </span>
      <span className={styles.agent}>
        <span className="agent">
          <AgentTile agent={run.agent} />
          <span className="cut">{visibleLine(run.agent)}</span>
        </span>
        <small className="cut">{run.model === undefined ? UNKNOWN : visibleLine(run.model)}</small>
      </span>
      <Files run={run} />
      <span className={classes(styles.time, "num")}>
        <span>{duration(elapsed(run, now))}</span>
        <small>{turnsOf(run)}</small>
      </span>
      <Cost run={run} />
    </div>
  );
}

interface SecondProps {
  run: RunRecord;
  approval: ApprovalRecord | undefined;
  isStalled: boolean;
}

function Second({ run, approval, isStalled }: SecondProps) {
  const { words, code, quote, after } = nowLine(run, approval, isStalled);
  if (words === "" && code === undefined && quote === undefined) return "\u00a0";
  return (
    <span className="cut">
      {visibleLine(words)}
      {code !== undefined && (
        <>
          {words && " "}
          <code>{visibleLine(code)}</code>
          {after && ` ${after}`}
        </>
      )}
      {quote !== undefined && (
        <bdi>
          “<QuotedWords text={quote} />”
        </bdi>
      )}
    </span>
  );
}

function Files({ run: { files_changed = 0, additions = 0, deletions = 0 } }: { run: RunRecord }) {
  return (
    <span
      className={classes(styles.files, "num")}
      title={additions + deletions > 0 ? "The lines of new files, and all edits of the others" : undefined}
    >
      {files_changed === 0 ? <span className="dim">{UNKNOWN}</span> : <span>{plural(files_changed, "file")}</span>}
      <small>
        {additions + deletions > 0 ? <Counts additions={additions} deletions={deletions} className="" /> : "\u00a0"}
      </small>
    </span>
  );
}

function Cost({ run: { cost_micros_usd, cost_source } }: { run: RunRecord }) {
  const { amount, source } = cost(cost_micros_usd, cost_source);
  return (
    <span className={classes(styles.cost, "num")}>
      <span className={amount === UNKNOWN ? "dim" : ""}>{amount}</span>
      <small>{source}</small>
    </span>
  );
}

/** The second line of the state: a deadline, a silence, or an age. */
function ageOf(run: RunRecord, state: ShownState, approval: ApprovalRecord | undefined, now: number): ReactNode {
  if (state.group === "needs") {
    if (state.id === "needs_you" && approval === undefined) return "\u00a0";
    return approval?.expires_at ? left(approval.expires_at, now) : "no deadline";
  }
  const silence = silentFor(run, now);
  if (state.id === "stalled") return `silent ${span(silence ?? 0)}`;
  if (state.group === "going") return silence === undefined ? "now" : `quiet for ${span(silence)}`;
  const ended = run.ended_at ?? run.updated_at;
  return <time title={dayAndTime(ended)}>{ago(ended, now)}</time>;
}

const elapsed = ({ created_at, ended_at }: RunRecord, now: number): number =>
  (ended_at === undefined ? now : Date.parse(ended_at)) - Date.parse(created_at);

const turnsOf = ({ turns = 0, ended_at, kind }: RunRecord): string => {
  // Commands have no turns.
  if (turns === 0 && kind !== "agent" && kind !== "agent_loop") return "\u00a0";
  return ended_at === undefined && turns > 0 ? `turn ${turns}` : plural(turns, "turn");
};
