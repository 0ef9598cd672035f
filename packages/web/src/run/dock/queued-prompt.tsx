import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./dock.module.css";
import type { Outgoing } from "./outbox.ts";

interface QueuedPromptProps {
  text: string;
  /** `held`: it has not been sent yet. */
  phase: "held" | Exclude<Outgoing["phase"], "failed">;
  onTakeBack: () => void;
}

/** A follow-up that is on its way to the agent: a dashed card. It can be taken back until it is sent. */
export function QueuedPrompt({ text, phase, onTakeBack }: QueuedPromptProps) {
  return (
    <div className={styles.queued}>
      <p>
        <VisibleText text={text} />
      </p>
      <small className="dim" role="status">
        <Icon name={phase === "sending" ? "working" : "clock"} small />
        {words[phase]}
      </small>
      {phase === "held" && (
        <button type="button" className="btn small" onClick={onTakeBack}>
          <Icon name="undo" small />
          Take back
        </button>
      )}
    </div>
  );
}

const words = {
  held: "Goes to the agent in a moment.",
  sending: "Sending… It cannot be taken back any more.",
  taken: "The agent has it and reads it when this turn ends.",
  late: "The run has not answered yet. It gets this when it does.",
} as const;
