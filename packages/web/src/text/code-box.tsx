import type { ReactNode } from "react";
import { joined } from "../ui/joined.ts";
import styles from "./code.module.css";
import type { ColouredPiece } from "./highlight.ts";
import { VisibleText } from "./visible-text.tsx";

interface CodeBoxProps {
  text: string;
  /** What a fence of Markdown says about the code. */
  language: string | undefined;
  /** The text in its colours, if it has some. */
  pieces: ColouredPiece[] | undefined;
  /** What stands beside the name of the language. */
  children?: ReactNode;
}

/** The box around a block of code. */
export function CodeBox({ text, language, pieces, children }: CodeBoxProps) {
  const name = language?.split(/[\s{]/, 1)[0]?.slice(0, 24) ?? "";
  return (
    <figure className={styles.box}>
      {(name !== "" || children !== undefined) && (
        <figcaption className={styles.head}>
          <VisibleText text={name} />
          {children}
        </figcaption>
      )}
      {/* Long lines scroll in their own box, also by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre className={styles.code} tabIndex={0}>
        <code>{pieces ? joined(pieces, Piece) : <VisibleText text={text} />}</code>
      </pre>
    </figure>
  );
}

const Piece = ({ text, className }: ColouredPiece) => (
  <span className={className}>
    <VisibleText text={text} />
  </span>
);
