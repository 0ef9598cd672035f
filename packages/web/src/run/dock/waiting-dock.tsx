import type { ApprovalView } from "@spoor/protocol";
import { type RefObject, useEffect, useRef, useState } from "react";
import { answerPress } from "../../approvals/answer-press.ts";
import { approvalWords, fitsOneLine, lineOf } from "../../approvals/exact-action.ts";
import { useAnswer } from "../../approvals/use-answer.ts";
import { useOnScreen } from "../../approvals/use-on-screen.ts";
import { visibleLine } from "../../text/visible.ts";
import { left } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { useKeys } from "../../ui/keys.ts";
import { useNow } from "../../ui/use-now.ts";
import styles from "./dock.module.css";
import type { WaitingRow } from "./waiting-row.ts";

/** Characters of an action that fit beside the buttons on a laptop. Longer ones are reviewed in their card. */
const FITS = 48;

/** What waits, in one line. It can be approved here only if the line shows all of it. */
export function WaitingDock({ row, all, onShow }: { row: WaitingRow; all: number; onShow: () => void }) {
  return (
    <section className={styles.dock} aria-label="Waits for you">
      {row.kind === "approval" ? (
        <ApprovalLine key={row.key} approval={row.approval} all={all} onShow={onShow} />
      ) : (
        <>
          <Line verb="Asks" text={row.question.question} all={all} />
          <button type="button" className="btn" onClick={onShow}>
            Answer
          </button>
        </>
      )}
    </section>
  );
}

function ApprovalLine({ approval, all, onShow }: { approval: ApprovalView; all: number; onShow: () => void }) {
  const line = useRef<HTMLSpanElement>(null);
  const now = useNow(1000);
  const { isOpen, answer, approve, deny } = useAnswer(approval);
  const isSeen = useOnScreen(line, isOpen ? approval.id : "");
  const isCut = useIsCut(line);
  const isWhole = fitsOneLine(approval, FITS) && !isCut;
  const yes = answerPress(approve, isOpen, isSeen);
  const no = answerPress(() => deny(), isOpen, isSeen);
  useKeys({ ...(isWhole && { a: yes }), d: no }, { isOn: isOpen });
  return (
    <>
      <Line ref={line} verb={approvalWords(approval).verb} text={lineOf(approval)} all={all}>
        {answer?.phase === "sending" ? "sending…" : approval.expiresAt ? left(approval.expiresAt, now) : ""}
      </Line>
      {isWhole && (
        <button type="button" className="btn strong" disabled={!isOpen} onClick={() => yes()}>
          <Icon name="tick" small />
          Approve <kbd>A</kbd>
        </button>
      )}
      {!isWhole && (
        <button type="button" className="btn strong" onClick={onShow}>
          Review
        </button>
      )}
      <button type="button" className="btn" disabled={!isOpen} onClick={() => no()}>
        Deny <kbd>D</kbd>
      </button>
      {isWhole && (
        <button type="button" className="btn icon" aria-label="Show in the conversation" onClick={onShow}>
          <Icon name="down" small />
        </button>
      )}
    </>
  );
}

/** Whether the line shows only a part of its text. True until it was measured. */
function useIsCut(line: RefObject<HTMLElement | null>): boolean {
  const [isCut, set] = useState(true);
  useEffect(() => {
    const text = line.current?.querySelector("code");
    if (!text) return;
    const measure = () => set(text.scrollWidth > text.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(text);
    return () => observer.disconnect();
  }, [line]);
  return isCut;
}

function Line({
  ref,
  verb,
  text,
  all,
  children,
}: {
  ref?: React.Ref<HTMLSpanElement>;
  verb: string;
  text: string;
  all: number;
  children?: string;
}) {
  return (
    <span ref={ref} className={styles.text}>
      <Icon name="needs" />
      {all > 1 && <span className="num">1 of {all}</span>}
      <b>{verb}</b>
      <code className="cut">{visibleLine(text)}</code>
      {children && <span className={`${styles.left} num`}>{children}</span>}
    </span>
  );
}
