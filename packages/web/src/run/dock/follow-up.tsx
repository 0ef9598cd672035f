import { type FormEvent, useEffect, useRef } from "react";
import type { RunSnapshot } from "../../live/run-snapshot.ts";
import { Icon } from "../../ui/icon.tsx";
import { isSendKey, keyLabel } from "../../ui/keys.ts";
import { useStored } from "../../ui/stored.ts";
import { useActionState } from "../actions/action-store.ts";
import { type ActionFacts, reasonAgainst } from "../actions/availability.ts";
import { useRunActions } from "../actions/use-run-actions.ts";
import { useSend } from "../actions/use-send.ts";
import { draftOf } from "../drafts.ts";
import styles from "./dock.module.css";
import { QueuedPrompt } from "./queued-prompt.tsx";
import { useQueued } from "./use-queued.ts";

/** The field for a follow-up. While the run works it goes to the agent; afterwards it continues the run in a new one. */
export function FollowUp({ runId, snapshot, facts }: { runId: string; snapshot: RunSnapshot; facts: ActionFacts }) {
  const draft = draftOf(runId);
  const text = useStored(draft);
  const actions = useRunActions(runId);
  const { sending } = useActionState(runId);
  const sender = useSend(runId);
  const field = useRef<HTMLTextAreaElement>(null);
  // The draft is kept until it is sent, so that a reload loses nothing.
  const { queued, hold, release, drop } = useQueued((words) => {
    if (latest.current.isOver) return drop();
    draft.write("");
    sender.send(words);
  });
  const latest = useRef(facts);
  latest.current = facts;
  const isHeld = queued?.isHeld === true;
  const action = facts.isOver ? "continue" : "send";
  const reason = snapshot.state === "loading" ? "Loading…" : reasonAgainst(action, facts);
  const isBusy = sending !== undefined || sender.state === "sending";

  // The prompt stands in the conversation now, or it will never arrive.
  const hasArrived =
    queued !== undefined && snapshot.view.prompts.slice(queued.after).some((prompt) => prompt.text === queued.text);
  const isRefused = sender.state === "failed";
  useEffect(() => {
    if (hasArrived) drop();
  }, [hasArrived, drop]);
  useEffect(() => {
    if (!isRefused || !queued || queued.isHeld) return;
    // Whatever was written meanwhile stays, too.
    draft.write([queued.text, draft.read()].filter(Boolean).join("\n\n"));
    drop();
  }, [isRefused, queued, draft, drop]);

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isHeld) return release();
    const words = text.trim();
    if (words === "" || reason !== undefined || isBusy) return;
    if (action === "send") hold(words, snapshot.view.prompts.length);
    else {
      void actions.continue(words).then((isDone) => isDone && draft.write(""));
    }
  };
  return (
    <>
      {queued && (
        <QueuedPrompt
          queued={queued}
          isSent={sender.state === "sent"}
          onTakeBack={() => {
            drop();
            field.current?.focus();
          }}
        />
      )}
      {sender.told && !isHeld && (
        <p className={styles.problem} role="alert">
          {sender.told} Your text is still in the field.
        </p>
      )}
      <form className={styles.box} onSubmit={submit} data-disabled={reason !== undefined}>
        <textarea
          ref={field}
          data-reply
          rows={1}
          value={isHeld ? "" : text}
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
          disabled={(text.trim() === "" && !isHeld) || reason !== undefined || isBusy}
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
