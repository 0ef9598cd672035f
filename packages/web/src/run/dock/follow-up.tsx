import { type FormEvent, useEffect, useRef } from "react";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { Icon } from "../../ui/icon.tsx";
import { isSendKey, keyLabel } from "../../ui/keys.ts";
import { useStored } from "../../ui/stored.ts";
import { useActionState } from "../actions/action-store.ts";
import { type ActionFacts, reasonAgainst } from "../actions/availability.ts";
import { useRunActions } from "../actions/use-run-actions.ts";
import { draftOf } from "../drafts.ts";
import styles from "./dock.module.css";
import { QueuedPrompt } from "./queued-prompt.tsx";
import { useHeld } from "./use-held.ts";
import { outbox, useOutgoing } from "./use-outgoing.ts";

/** The field for a follow-up. While the run works it goes to the agent; afterwards it continues the run in a new one. */
export function FollowUp({ runId, snapshot, facts }: { runId: string; snapshot: RunSnapshot; facts: ActionFacts }) {
  const draft = draftOf(runId);
  const text = useStored(draft);
  const actions = useRunActions(runId);
  const { sending } = useActionState(runId);
  const outgoing = useOutgoing(runId);
  const field = useRef<HTMLTextAreaElement>(null);
  const latest = useRef(facts);
  latest.current = facts;
  // The draft is kept until it is sent, so that a reload loses nothing.
  const { held, hold, release, takeBack } = useHeld((words, after) => {
    if (!latest.current.isOver) outbox.post(runId, words, after);
  });
  const { isOver } = facts;
  const action = isOver ? "continue" : "send";
  const reason = snapshot.state === "loading" ? "Loading…" : reasonAgainst(action, facts);
  const isFailed = outgoing?.phase === "failed";
  const isBusy = sending !== undefined || outgoing?.phase === "sending";

  const hasArrived =
    outgoing !== undefined &&
    !isFailed &&
    snapshot.view.prompts.slice(outgoing.after).some((prompt) => prompt.text === outgoing.text);
  const isTaken = outgoing?.phase === "taken";
  const isLate = outgoing?.phase === "late";
  useEffect(() => {
    // The prompt stands in the conversation now, or the agent ended with it.
    if (hasArrived || (isOver && isTaken)) outbox.drop(runId);
    else if (isOver && isLate) outbox.returnLate(runId);
  }, [hasArrived, isOver, isTaken, isLate, runId]);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (held) return release();
    const words = text.trim();
    if (words === "" || reason !== undefined || isBusy) return;
    if (action === "send") hold(words, snapshot.view.prompts.length);
    else {
      void actions.continue(words).then((isDone) => isDone && draft.write(""));
    }
  };
  const queued = held ? ({ ...held, phase: "held" } as const) : outgoing;
  return (
    <>
      {queued && queued.phase !== "failed" && (
        <QueuedPrompt
          text={queued.text}
          phase={queued.phase}
          onTakeBack={() => {
            takeBack();
            field.current?.focus();
          }}
        />
      )}
      {queued?.phase === "failed" && text !== "" && (
        <p className={styles.problem} role="alert">
          {queued.told} Your text is still in the field.
        </p>
      )}
      <form className={styles.box} onSubmit={submit} data-disabled={reason !== undefined}>
        <textarea
          ref={field}
          data-reply
          rows={1}
          value={held ? "" : text}
          aria-label={facts.isOver ? "Continue the run" : "Follow up"}
          placeholder={reason ?? placeholders[facts.isOver ? "over" : facts.isPaused ? "paused" : "working"]}
          onChange={(event) => {
            // Who writes on does not take back what they wrote before.
            release();
            draft.write(event.target.value);
          }}
          onKeyDown={(event) => {
            if (!isSendKey(event)) return;
            event.preventDefault();
            submit();
          }}
        />
        {reason !== undefined && text !== "" && <span className={styles.reason}>{reason}</span>}
        <kbd>{keyLabel("mod+enter")}</kbd>
        <button
          type="submit"
          className="btn primary small icon"
          aria-label={sending === "continue" ? "Starting" : "Send"}
          disabled={(text.trim() === "" && !held) || reason !== undefined || isBusy}
        >
          <Icon name={isBusy ? "working" : "send"} small />
        </button>
      </form>
    </>
  );
}

const placeholders = {
  working: "Follow up… it is sent when this turn ends",
  paused: "Follow up… it is sent when the run goes on",
  over: "Continue… in a new run",
} as const;
