import type { QuestionView } from "@spoor/protocol";
import { VisibleText } from "../../../text/visible-text.tsx";
import { clockTime } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import styles from "./rows.module.css";

/** One line for a question that nobody needs to answer any more. */
export function AnsweredQuestion({ question }: { question: QuestionView }) {
  return (
    <p className={styles.note}>
      <Icon name="question" small />
      <span>
        <VisibleText text={question.question} /> <b>{words[question.status]}</b>
        {question.answer !== undefined && (
          <>
            {": "}
            <VisibleText text={question.answer} />
          </>
        )}
        {question.answeredAt && <span className="num"> · {clockTime(question.answeredAt)}</span>}
      </span>
    </p>
  );
}

const words: Readonly<Record<QuestionView["status"], string>> = {
  pending: "Waits for an answer",
  answered: "Answered",
  passed: "Went on without an answer",
  cancelled: "No longer asked",
};
