import { VisibleText } from "../../../text/visible-text.tsx";
import { Icon } from "../../../ui/icon.tsx";
import styles from "./rows.module.css";

/** What an agent asks, and what it says about it. */
export const QuestionWords = ({ question, context }: { question: string; context: string | undefined }) => (
  <>
    <header>
      <Icon name="question" />
      <b>
        <VisibleText text={question} />
      </b>
    </header>
    {context && (
      <p className={styles.context}>
        <VisibleText text={context} />
      </p>
    )}
  </>
);
