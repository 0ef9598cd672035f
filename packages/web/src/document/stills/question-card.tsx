import type { QuestionView } from "@spoor/protocol";
import { AnsweredQuestion } from "../../run/conversation/rows/answered-question.tsx";
import { QuestionWords } from "../../run/conversation/rows/question-words.tsx";
import styles from "../../run/conversation/rows/rows.module.css";
import { choicesOf } from "../../run/conversation/words/choices.ts";
import { VisibleText } from "../../text/visible-text.tsx";
import { joined } from "../../ui/joined.ts";

/** A question of the agent, with its choices while nobody has answered it. */
export function QuestionCard({ question }: { question: QuestionView }) {
  if (question.status !== "pending") return <AnsweredQuestion question={question} />;
  const { choices, rest } = choicesOf(question.context);
  return (
    <section className={styles.ask} aria-label="Question">
      <QuestionWords question={question.question} context={rest} />
      {choices.length > 0 && (
        <ul className={styles.context}>
          {joined(choices, (choice) => (
            <li>
              – <VisibleText text={choice} />
            </li>
          ))}
        </ul>
      )}
      <p className="dim">Nobody had answered when this file was written.</p>
    </section>
  );
}
