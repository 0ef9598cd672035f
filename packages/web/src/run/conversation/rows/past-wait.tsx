import { VisibleText } from "../../../text/visible-text.tsx";
import styles from "./rows.module.css";

/** What waited for an answer at the time that the page shows. */
export const PastWait = ({ children }: { children: string }) => (
  <p className={styles.note}>
    <span>
      Waited for an answer: <VisibleText text={children} />
    </span>
  </p>
);
