import { Link } from "wouter";
import { useRuns } from "../../../live/use-runs.ts";
import { routes } from "../../../routes.ts";
import { VisibleText } from "../../../text/visible-text.tsx";
import { Icon } from "../../../ui/icon.tsx";
import styles from "./cards.module.css";

/** The way to the run of a subagent. */
export const ChildLink = ({ runId }: { runId: string }) => (
  <Link className={styles.open} href={routes.run(runId)}>
    Open its run <Icon name="right" small />
  </Link>
);

/** What the run of a subagent does at this moment. */
export function ChildNow({ runId }: { runId: string }) {
  const { runs } = useRuns();
  const now = runs.find(({ run_id }) => run_id === runId)?.now;
  if (!now) return null;
  return (
    <p className={styles.now}>
      <Icon name="working" small />
      <VisibleText text={now} />
    </p>
  );
}
