import type { RunView } from "@spoor/protocol";
import { useMemo } from "react";
import { Link } from "wouter";
import { routes } from "../routes.ts";
import { QuotedWords } from "../text/quoted-words.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Counts } from "../ui/counts.tsx";
import { duration } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./detail.module.css";
import { ledHere, type Step } from "./steps.ts";

/** The last three steps before the question. Each leads to its place in the conversation. */
export function LedHere({ view, runId, approvalId }: { view: RunView; runId: string; approvalId: string }) {
  const steps = useMemo(() => ledHere(view, approvalId), [view, approvalId]);
  if (steps.length === 0) return null;
  return (
    <section className={styles.steps}>
      <h3>What led here</h3>
      <ol className="card">
        {steps.map((step) => (
          <li key={step.key}>
            <Link className={styles.step} href={routes.event(runId, step.sequence)}>
              <Icon name={step.icon} small />
              <span className={styles.words}>
                <Words step={step} />
              </span>
              <small className="num">{step.at !== undefined && duration(step.at)}</small>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Words({ step: { verb, text, isQuote, additions, deletions, outcome } }: { step: Step }) {
  if (isQuote)
    return (
      <>
        {verb && <b>{verb} </b>}“<QuotedWords text={text} />”
      </>
    );
  return (
    <>
      <b>
        <VisibleText text={verb ?? ""} />
      </b>{" "}
      <span className="mono">
        <VisibleText text={text} /> <Counts additions={additions} deletions={deletions} />
      </span>{" "}
      {outcome && <span className="dim">{outcome}</span>}
    </>
  );
}
