import { VisibleText } from "../../text/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./dock.module.css";
import type { Queued } from "./use-queued.ts";

interface QueuedPromptProps {
  queued: Queued;
  isSent: boolean;
  onTakeBack: () => void;
}

/** A follow-up that is on its way to the agent: a dashed card. It can be taken back until it is sent. */
export function QueuedPrompt({ queued: { text, isHeld }, isSent, onTakeBack }: QueuedPromptProps) {
  return (
    <div className={styles.queued}>
      <p>
        <VisibleText text={text} />
      </p>
      <small className="dim" role="status">
        <Icon name={isSent || isHeld ? "clock" : "working"} small />
        {isHeld
          ? "Goes to the agent in a moment."
          : isSent
            ? "The agent has it and reads it when this turn ends."
            : "Sending… It cannot be taken back any more."}
      </small>
      {isHeld && (
        <button type="button" className="btn small" onClick={onTakeBack}>
          <Icon name="undo" small />
          Take back
        </button>
      )}
    </div>
  );
}
