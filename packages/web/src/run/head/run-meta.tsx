import { Link } from "wouter";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { routes } from "../../routes.ts";
import { Folder } from "../../text/folder.tsx";
import { visibleLine } from "../../text/visible.ts";
import { AgentTile } from "../../ui/agent-tile.tsx";
import { cost, duration, plural, shortId } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { elapsedOf } from "./elapsed.ts";
import styles from "./head.module.css";

/** One line of facts: agent, model, folder, time, turn, cost. */
export function RunMeta({ snapshot, now }: { snapshot: RunSnapshot; now: number }) {
  const { record, view } = snapshot;
  const agent = view.agent ?? record?.agent;
  const model = view.model ?? record?.model;
  const folder = view.workspacePath ?? record?.workspace_path;
  const turn = view.turn || record?.turns;
  const isRead = view.lastSequence >= 0;
  const isOver = (isRead ? view.end?.at : record?.ended_at) !== undefined;
  const spent = cost(
    isRead ? view.cost.micros : record?.cost_micros_usd,
    isRead ? view.cost.source : record?.cost_source,
  );
  const prior = view.priorRunId ?? record?.prior_run_id;
  const parent = view.parentRunId ?? record?.parent_run_id;
  return (
    <div className={styles.meta}>
      {agent && (
        <span className="agent" title={view.agentVersion && visibleLine(`${agent} ${view.agentVersion}`)}>
          <AgentTile agent={agent} />
          <b>{visibleLine(agent)}</b>
          {model && <span className={`dim ${styles.model}`}>{visibleLine(model)}</span>}
        </span>
      )}
      {folder && (
        <span className="no-phone">
          <Icon name="folder" small />
          <Folder path={folder} className="mono cut" />
        </span>
      )}
      <span className="num">
        <Icon name="clock" small />
        {duration(elapsedOf(snapshot, now))}
      </span>
      {turn !== undefined && turn > 0 && <span className="num">{isOver ? plural(turn, "turn") : `turn ${turn}`}</span>}
      <span className="num">
        {spent.amount} <span className="tag">{spent.source}</span>
      </span>
      {parent && <RunLink id={parent} label="Subagent of" />}
      {prior && <RunLink id={prior} label="Continues" />}
    </div>
  );
}

const RunLink = ({ id, label }: { id: string; label: string }) => (
  <span className="no-phone">
    {label}{" "}
    <Link className={styles.link} href={routes.run(id)}>
      {shortId(id)}
    </Link>
  </span>
);
