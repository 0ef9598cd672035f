import type { QuestionView } from "@spoor/protocol";
import { type FormEvent, useEffect } from "react";
import { VisibleText } from "../../../text/visible-text.tsx";
import { isSendKey, keyLabel } from "../../../ui/keys.ts";
import { useStored } from "../../../ui/stored.ts";
import { useSend } from "../../actions/use-send.ts";
import { draftOf } from "../../drafts.ts";
import { useRunFacts } from "../../run-context.ts";
import { choicesOf } from "../words/choices.ts";
import { AnsweredQuestion } from "./answered-question.tsx";
import { QuestionWords } from "./question-words.tsx";
import styles from "./rows.module.css";

/** A question of the agent. Once it is answered, one line is left. */
export function QuestionCard({ question }: { question: QuestionView }) {
  const { runId } = useRunFacts();
  const isPending = question.status === "pending";
  useEffect(() => {
    if (!isPending) draftOf(runId, question.id).write("");
  }, [isPending, runId, question.id]);
  if (isPending) return <OpenQuestion question={question} />;
  return <AnsweredQuestion question={question} />;
}

function OpenQuestion({ question }: { question: QuestionView }) {
  const { runId, controls } = useRunFacts();
  const { send, state, told } = useSend(runId);
  // A row that is scrolled away is unmounted, and what was written must not go with it.
  const draft = draftOf(runId, question.id);
  const text = useStored(draft);
  const { choices, rest } = choicesOf(question.context);
  const isSending = state === "sending" || state === "sent";
  const refusal = controls?.takes_answers === false ? "This agent takes no answers while it runs." : undefined;
  const answer = (words: string) => {
    if (words.trim() !== "" && !isSending) send(words, question.id);
  };
  return (
    <section className={styles.ask} aria-label="Question">
      <QuestionWords question={question.question} context={rest} />
      {refusal ? (
        <p className="dim">{refusal}</p>
      ) : (
        <>
          {choices.length > 0 && (
            <div className={styles.choices}>
              {choices.map((choice) => (
                <button key={choice} type="button" className="btn" disabled={isSending} onClick={() => answer(choice)}>
                  <span className={styles.choice}>
                    <VisibleText text={choice} />
                  </span>
                </button>
              ))}
            </div>
          )}
          <form
            className={styles.answer}
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              answer(text);
            }}
          >
            <textarea
              aria-label="Your answer"
              rows={1}
              value={text}
              placeholder={choices.length > 0 ? "Or answer in your own words" : "Your answer"}
              onChange={(event) => draft.write(event.target.value)}
              onKeyDown={(event) => {
                if (!isSendKey(event)) return;
                event.preventDefault();
                answer(text);
              }}
            />
            <button type="submit" className="btn primary" disabled={isSending || text.trim() === ""}>
              Answer <kbd>{keyLabel("mod+enter")}</kbd>
            </button>
          </form>
        </>
      )}
      {isSending && (
        <p className="dim" role="status">
          Sending your answer…
        </p>
      )}
      {told && (
        <p className={styles.bad} role="alert">
          <VisibleText text={told} />
        </p>
      )}
    </section>
  );
}
