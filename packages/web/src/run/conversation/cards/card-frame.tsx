import type { ReactNode } from "react";
import { useOpen } from "../use-openness.ts";
import { CardLine, type CardLineProps } from "./card-line.tsx";
import styles from "./cards.module.css";

interface CardFrameProps extends Omit<CardLineProps, "isOpen" | "onToggle" | "children"> {
  /** The card, among all of the conversation. */
  id: string;
  /** The first event of the card, where links may lead to. */
  sequence?: number;
  /** Whether it is open without anybody having opened it. */
  opensItself: boolean;
  isFailed?: boolean;
  /** What stands in the line between the target and the result. */
  extra?: ReactNode;
  /** What the card shows when it is open. */
  children: ReactNode;
}

/** A card of the conversation: its line, and below it what it shows when it is open. */
export function CardFrame({ id, sequence, opensItself, isFailed, extra, children, ...line }: CardFrameProps) {
  const [isOpen, toggle] = useOpen(id, opensItself);
  return (
    <div className={`${styles.card} ${isFailed ? styles.failed : ""}`} data-sequence={sequence} data-stop={id}>
      <CardLine {...line} isOpen={isOpen} onToggle={toggle}>
        {extra}
      </CardLine>
      {isOpen && children}
    </div>
  );
}
