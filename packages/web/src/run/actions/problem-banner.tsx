import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";
import { dismissProblem, useActionState } from "./action-store.ts";
import styles from "./actions.module.css";

/** Says why the last action was not done. */
export function ProblemBanner({ runId }: { runId: string }) {
  const { problem } = useActionState(runId);
  if (problem === undefined) return null;
  return (
    <div className={styles.problem} role="alert">
      <Icon name="failed" />
      <span>
        <VisibleText text={problem} />
      </span>
      <button type="button" className="btn quiet small icon" aria-label="Dismiss" onClick={() => dismissProblem(runId)}>
        <Icon name="cross" small />
      </button>
    </div>
  );
}
