import { Diff } from "../diff/diff.tsx";
import { VisibleText } from "../text/visible-text.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./action-block.module.css";
import { type ExactAction, pathsIn } from "./exact-action.ts";

/** The whole action, as it would be done. No Markdown, no colouring, nothing cut. */
export function ActionBlock({ action }: { action: ExactAction }) {
  const { form, text, diff, fields, input } = action;
  return (
    <div className={styles.block}>
      {form === "command" && (
        <div className={`cmdline ${styles.command}`}>
          <span className="d" aria-hidden="true">
            $
          </span>
          <code>
            <VisibleText text={text} />
          </code>
        </div>
      )}
      {form === "call" && text !== "" && (
        <p className={styles.tool}>
          <Icon name="plug" small />
          <code>
            <VisibleText text={text} />
          </code>
        </p>
      )}
      {diff !== undefined && <WholeDiff text={diff} />}
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map(({ name, text }) => (
            <div key={name}>
              <dt>
                <VisibleText text={name} />
              </dt>
              <dd>
                <VisibleText text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {input !== undefined && (
        <details className={styles.input}>
          <summary>The input of the tool</summary>
          <pre>
            <VisibleText text={input} />
          </pre>
        </details>
      )}
    </div>
  );
}

function WholeDiff({ text }: { text: string }) {
  const paths = pathsIn(text);
  return (
    <div className={styles.diff}>
      {paths.length === 1 && (
        <p className={styles.path}>
          <VisibleText text={paths[0] ?? ""} />
        </p>
      )}
      <Diff text={text} layout="unified" isOpen />
    </div>
  );
}
