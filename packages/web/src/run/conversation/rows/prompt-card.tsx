import type { AttachmentView, PromptView } from "@spoor/protocol";
import { VisibleText } from "../../../text/visible-text.tsx";
import { clockTime } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import styles from "./rows.module.css";

/** What a person said to the agent. */
export function PromptCard({ prompt, attachments }: { prompt: PromptView; attachments: readonly AttachmentView[] }) {
  const tag = ways[prompt.interactionId ? "answer" : (prompt.via ?? "prompt")];
  return (
    <div className={styles.prompt}>
      <p className={styles.said}>
        <VisibleText text={prompt.text} />
      </p>
      {attachments.map(({ name, kind, mime, artifactId }, index) => (
        <p key={`${artifactId ?? name ?? index}`} className={styles.attachment}>
          <Icon name="file" small />
          <VisibleText text={name ?? kind} />
          {mime && <span className="dim">{mime}</span>}
        </p>
      ))}
      <small className="dim num">
        You{prompt.at && ` · ${clockTime(prompt.at)}`}
        {tag && <span className="tag">{tag}</span>}
      </small>
    </div>
  );
}

/** How a prompt came, if it is not the first one. */
const ways: Readonly<Record<string, string | undefined>> = {
  prompt: undefined,
  send: "follow-up",
  queue: "queued",
  steer: "while it worked",
  answer: "answer",
};
