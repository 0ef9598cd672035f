import type { ApprovalView } from "@spoor/protocol";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { VisibleText } from "../text/visible-text.tsx";
import { Icon } from "../ui/icon.tsx";
import { isSendKey, keyLabel, useKeys } from "../ui/keys.ts";
import styles from "./answer-bar.module.css";
import { answerPress } from "./answer-press.ts";
import { useAnswer } from "./use-answer.ts";
import { useOnScreen } from "./use-on-screen.ts";
import type { WholeAction } from "./use-whole-action.ts";

interface AnswerBarProps {
  approval: ApprovalView;
  /** Approve is offered only where the whole action is shown. */
  whole: WholeAction["state"];
  /** The element that shows the action. Its question must have been on screen before an answer counts. */
  card: RefObject<Element | null>;
  /** Whether A, D and ⇧D are for this one. */
  takesKeys: boolean;
  children?: React.ReactNode;
}

/** Approve, Deny, Deny with a note; then "sending", and the words of whoever was faster. */
export function AnswerBar({ approval, whole, card, takesKeys, children }: AnswerBarProps) {
  const { answer, isOpen, approve, deny } = useAnswer(approval);
  const [hasNote, setNote] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const isAsked = useOnScreen(card, isOpen ? approval.id : "");
  // The buttons stand below the action, so whoever sees them has had the end of it on screen.
  const isRead = useOnScreen(bar, isOpen ? approval.id : "");
  const canApprove = whole === "whole";
  const yes = answerPress(approve, isOpen, isRead);
  const no = answerPress(() => deny(), isOpen, isAsked);
  const openNote = answerPress(() => setNote(true), isOpen, isAsked);
  useKeys(
    { ...(canApprove && { a: yes }), d: no, "shift+d": openNote, "escape in field": () => hasNote && setNote(false) },
    { isOn: takesKeys && isOpen },
  );
  if (!isOpen && answer === undefined) return null;
  const isHigh = approval.riskLevel === "high";
  return (
    <div className={styles.bar} ref={bar}>
      {answer?.told !== undefined && (
        <p className={`${styles.told} ${answer.phase === "failed" ? styles.failed : ""}`} role="status">
          <Icon name={answer.phase === "failed" ? "failed" : "minus"} small />
          <VisibleText text={answer.told} />
        </p>
      )}
      {answer?.phase === "sending" && (
        <p className={styles.told} role="status">
          <Icon name="working" small />
          {answer.decision === "approve" ? "Sending your approval…" : "Sending your refusal…"}
        </p>
      )}
      {whole === "partial" && isOpen && (
        <p className={styles.told}>
          <Icon name="lock" small />
          Only a part of this action was kept, so it cannot be approved here. Deny it, or answer where the agent runs.
        </p>
      )}
      {isOpen && (
        <div className={styles.buttons}>
          {whole !== "partial" && (
            <button
              type="button"
              className={`btn ${isHigh ? "strong" : "primary"}`}
              disabled={!canApprove}
              onClick={() => yes()}
            >
              <Icon name="tick" small />
              {canApprove ? "Approve" : "Loading all of it…"} {takesKeys && <kbd>A</kbd>}
            </button>
          )}
          <button type="button" className={`btn ${isHigh ? "strong" : ""}`} onClick={() => no()}>
            <Icon name="cross" small />
            Deny {takesKeys && <kbd>D</kbd>}
          </button>
          <button type="button" className="btn quiet" aria-expanded={hasNote} onClick={() => setNote(!hasNote)}>
            Deny with a note<span className={takesKeys ? "only-phone" : ""}>…</span>
            {takesKeys && <kbd>⇧D</kbd>}
          </button>
          {children && <span className={styles.end}>{children}</span>}
        </div>
      )}
      {isOpen && hasNote && <NoteForm onSend={deny} onClose={() => setNote(false)} />}
    </div>
  );
}

/** What the agent reads with the refusal. */
function NoteForm({ onSend, onClose }: { onSend: (note: string) => void; onClose: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend(field.current?.value ?? "");
  };
  return (
    <form className={styles.note} onSubmit={send}>
      <label>
        <span>What the agent reads with the refusal</span>
        <textarea
          ref={field}
          rows={2}
          maxLength={4000}
          placeholder="Why not, or what to do instead"
          onKeyDown={(event) => {
            if (isSendKey(event)) send(event);
          }}
        />
      </label>
      <div className={styles.buttons}>
        <button type="submit" className="btn primary">
          Deny and send <kbd>{keyLabel("mod+enter")}</kbd>
        </button>
        <button type="button" className="btn quiet" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  );
}
