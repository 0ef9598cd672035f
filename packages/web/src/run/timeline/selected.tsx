import { Link } from "wouter";
import { routes } from "../../routes.ts";
import { Icon } from "../../ui/icon.tsx";
import { momentLabel } from "../replay/moment-label.ts";
import type { Item } from "./lanes.ts";
import { outcomeWords, tookLabel, wordsOf } from "./span-words.ts";
import style from "./timeline.module.css";

/** What is selected, and the way to its place in the conversation. */
export function Selected({ runId, item }: { runId: string; item: Item | undefined }) {
  return (
    <section>
      <h2>Selected</h2>
      <div className={`card ${style.selected}`}>{item ? <Facts runId={runId} item={item} /> : <Nothing />}</div>
    </section>
  );
}

const Nothing = () => <p className="two">Press a bar, or an arrow key, to see what it is.</p>;

function Facts({ runId, item }: { runId: string; item: Item }) {
  const { title, detail, isCode, icon } = wordsOf(item);
  const { span, from, to, kind } = item;
  const outcome = outcomeWords(item);
  const turn = span.turn === undefined || kind === "turn" ? "" : `, turn ${span.turn}`;
  const events = span.lastSequence === undefined ? `from ${span.sequence}` : `${span.sequence} to ${span.lastSequence}`;
  return (
    <>
      <h3 className={kind === "wait" ? style.needs : undefined}>
        <Icon name={icon} />
        <span>{title}</span>
      </h3>
      <dl className="num">
        {detail && (
          <>
            <dt>{labels[kind]}</dt>
            <dd className={isCode ? "mono" : undefined}>
              <bdi>{detail}</bdi>
            </dd>
          </>
        )}
        <dt>Took</dt>
        <dd>{tookLabel(to - from)}</dd>
        <dt>From</dt>
        <dd>
          {momentLabel(from)} to {item.isOpen ? "now" : momentLabel(to)}
          {turn}
        </dd>
        {outcome && (
          <>
            <dt>{kind === "wait" ? "Answer" : "Outcome"}</dt>
            <dd>{outcome}</dd>
          </>
        )}
        <dt>Events</dt>
        <dd>{events}</dd>
      </dl>
      <Link className="btn small" href={routes.event(runId, span.sequence)}>
        Show in conversation <kbd>↵</kbd>
      </Link>
      {span.childRunId && (
        <Link className="btn small" href={routes.run(span.childRunId)}>
          Open its run
        </Link>
      )}
    </>
  );
}

const labels: Record<Item["kind"], string> = {
  turn: "Model",
  model: "For",
  thinking: "For",
  tool: "Action",
  subagent: "Task",
  wait: "Action",
  retry: "Reason",
};
