import type { ComponentProps } from "react";
import type { CardFrame as LiveFrame } from "../../run/conversation/cards/card-frame.tsx";
import { CardLine } from "../../run/conversation/cards/card-line.tsx";
import styles from "../../run/conversation/cards/cards.module.css";

/** A card that the browser itself opens and closes, also without scripts. */
export function CardFrame(props: ComponentProps<typeof LiveFrame>) {
  const { id: _, sequence, opensItself, isFailed, extra, children, ...line } = props;
  return (
    <details
      className={`${styles.card} ${isFailed ? styles.failed : ""}`}
      id={sequence === undefined ? undefined : `e${sequence}`}
      open={opensItself}
    >
      <summary>
        <CardLine {...line} isOpen={false} onToggle={undefined}>
          {extra}
        </CardLine>
      </summary>
      {children}
    </details>
  );
}
