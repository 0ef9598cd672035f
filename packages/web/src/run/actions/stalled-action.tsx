import { useState } from "react";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { useActionState } from "./action-store.ts";
import { factsOf, reasonAgainst } from "./availability.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { useControls } from "./use-controls.ts";
import { useRunActions } from "./use-run-actions.ts";

/** What to do about a silent run: interrupt its agent, or cancel it if nobody is there to be interrupted. */
export function StalledAction({ runId, snapshot }: { runId: string; snapshot: RunSnapshot }) {
  const { record, view } = snapshot;
  const facts = factsOf(snapshot, useControls(view.agent ?? record?.agent));
  const actions = useRunActions(runId);
  const { sending } = useActionState(runId);
  const [isAsking, setAsking] = useState(false);
  const isInterruptible = record?.alive !== false && reasonAgainst("interrupt", facts) === undefined;
  const why = reasonAgainst(isInterruptible ? "interrupt" : "cancel", facts);
  return (
    <>
      <button
        type="button"
        className="btn small"
        disabled={sending !== undefined || why !== undefined}
        title={why}
        onClick={isInterruptible ? actions.interrupt : () => setAsking(true)}
      >
        {labels[isInterruptible ? "interrupt" : "cancel"][sending === undefined ? 0 : 1]}
      </button>
      {isAsking && <CancelDialog onCancel={actions.cancel} onClose={() => setAsking(false)} />}
    </>
  );
}

const labels = { interrupt: ["Interrupt", "Interrupting…"], cancel: ["Cancel…", "Cancelling…"] } as const;
