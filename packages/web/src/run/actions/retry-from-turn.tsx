import { useState } from "react";
import { useRunFacts } from "../run-context.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useRunActions } from "./use-run-actions.ts";

/** Repeats the run from a turn on. Offered where the run allows it, on the line of the turn. */
export function RetryFromTurn({ turn }: { turn: number }) {
  const { runId, canRetryFromTurn } = useRunFacts();
  const { retryFromTurn } = useRunActions(runId);
  const [isAsking, setAsking] = useState(false);
  if (!canRetryFromTurn) return null;
  return (
    <>
      <button type="button" className="btn quiet small" data-hover onClick={() => setAsking(true)}>
        Retry from here
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Retry from turn ${turn}?`}
          confirm="Retry"
          onConfirm={() => void retryFromTurn(turn)}
          onClose={() => setAsking(false)}
        >
          {`A new run repeats the conversation from turn ${turn} on. It may change files and costs money again. This run stays as it is.`}
        </ConfirmDialog>
      )}
    </>
  );
}
