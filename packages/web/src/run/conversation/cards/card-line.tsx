import type { ReactNode } from "react";
import { VisibleText } from "../../../text/visible-text.tsx";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import type { ToolResult } from "../words/tool-result.ts";
import styles from "./cards.module.css";

export interface CardLineProps {
  icon: IconName;
  verb: string;
  target: string;
  /** Between the target and the result: lines added and removed, a tag. */
  children?: ReactNode;
  result: ToolResult;
  isOpen: boolean;
  /** Absent if there is nothing to open. */
  onToggle: (() => void) | undefined;
}

/** The line of a card: 38 px high, a button when there is more to see. */
export function CardLine({ icon, verb, target, children, result, isOpen, onToggle }: CardLineProps) {
  const content = (
    <>
      <Icon name={icon} small className={styles.kind ?? ""} />
      <span className={styles.verb}>
        <VisibleText text={verb} />
      </span>
      <span className={`${styles.target} cut`}>
        <VisibleText text={target.slice(0, 400)} />
      </span>
      {children}
      <span className={`${styles.result} ${styles[result.tone] ?? ""} num`}>
        {result.icon && <Icon name={result.icon} small />}
        <VisibleText text={result.words} />
      </span>
      {result.after && (
        <span className={`${styles.after} num`}>{result.words ? `· ${result.after}` : result.after}</span>
      )}
      {onToggle && <Icon name="right" small className={styles.chevron ?? ""} />}
    </>
  );
  if (!onToggle) return <div className={styles.line}>{content}</div>;
  return (
    <button type="button" className={styles.line} aria-expanded={isOpen} onClick={onToggle} data-toggle>
      {content}
    </button>
  );
}
