import type { ShellView } from "@spoor/protocol";
import styles from "../../run/conversation/cards/cards.module.css";
import { shellFacts } from "../../run/conversation/words/shell-facts.ts";
import { Terminal } from "../../text/terminal.tsx";

/** The whole output of a command as far as the file has it. A long one scrolls in its own box. */
export const ShellOutput = ({ shell }: { shell: ShellView; place: unknown }) => (
  <>
    <Terminal shell={shell} extent="all" />
    <div className={styles.foot}>
      <span className="dim num">{shellFacts(shell, "ready", false)}</span>
    </div>
  </>
);
