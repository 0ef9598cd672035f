import type { ShellView } from "@spoor/protocol";
import { type ReactNode, useState } from "react";
import type { CommandPlace } from "../../../live/load-output.ts";
import { useOutput } from "../../../live/use-output.ts";
import { isFolded, Terminal } from "../../../text/terminal.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { useRunFacts } from "../../run-context.ts";
import { shellFacts } from "../words/shell-facts.ts";
import styles from "./cards.module.css";

/** The output of a command, and below it how much there is and how the command ended. */
export function ShellOutput({
  shell: known,
  place,
  children,
}: {
  shell: ShellView;
  place: CommandPlace;
  children?: ReactNode;
}) {
  const { runId } = useRunFacts();
  const { shell, state } = useOutput(runId, known, place);
  const [isAll, setAll] = useState(false);
  const folded = isFolded(shell);
  return (
    <>
      <Terminal shell={shell} extent={isAll ? "all" : "short"} />
      <div className={styles.foot}>
        <span className="dim num">{shellFacts(shell, state, folded)}</span>
        {(folded || shell.running) && (
          <button type="button" className="btn quiet small" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? "Show less" : "Show all"}
          </button>
        )}
        {children}
        <CopyButton text={textOf(shell)} label="Copy the output">
          Copy
        </CopyButton>
      </div>
    </>
  );
}

const textOf = ({ head, tail, omittedBytes }: ShellView): string =>
  [
    ...head.map(({ text }) => text),
    ...(omittedBytes > 0 ? [`\n… ${omittedBytes} bytes are not kept here …\n`] : []),
    ...tail.map(({ text }) => text),
  ].join("");
