import { memo } from "react";
import { Markdown } from "../../text/markdown.tsx";
import { useRunFacts } from "../run-context.ts";
import { Cards } from "./cards/cards.tsx";
import type { Row, RowKind, RowProps } from "./row-types.ts";
import { ApprovalRow } from "./rows/approval-row.tsx";
import { EndRow } from "./rows/end-row.tsx";
import { ErrorRow, GapRow, NoteRow, RetryRow } from "./rows/event-rows.tsx";
import { ImageRow } from "./rows/image-row.tsx";
import { OpaqueCard } from "./rows/opaque-card.tsx";
import { PastWait } from "./rows/past-wait.tsx";
import { PromptCard } from "./rows/prompt-card.tsx";
import { QuestionCard } from "./rows/question-card.tsx";
import styles from "./rows/rows.module.css";
import { ThoughtRow } from "./rows/thought-row.tsx";
import { TurnLine } from "./rows/turn-line.tsx";

/** What a row is drawn with. It is drawn again only when its own items changed. */
export const ConversationRow = memo(({ row, takesKeys }: { row: Row; takesKeys: boolean }) => {
  // Each kind is drawn by the component of its own rows.
  const Content = contents[row.kind] as React.ComponentType<RowProps<RowKind>>;
  return <Content row={row} takesKeys={takesKeys} />;
});

const contents: { [Kind in RowKind]: React.ComponentType<RowProps<Kind>> } = {
  prompt: ({ row }) => <PromptCard prompt={row.prompt} attachments={row.attachments} />,
  turn: TurnLine,
  text: ({ row: { message } }) => (
    <Markdown
      text={message.text}
      complete={message.complete}
      after={!message.complete && <span className={styles.caret} aria-hidden="true" />}
    />
  ),
  thought: ThoughtRow,
  cards: ({ row }) => <Cards cards={row.cards} />,
  approval: ApprovalRow,
  question: QuestionRow,
  image: ({ row }) => <ImageRow image={row.image} />,
  error: ({ row }) => <ErrorRow error={row.error} />,
  retry: ({ row }) => <RetryRow retry={row.retry} isOpen={row.isOpen} />,
  gap: ({ row }) => <GapRow gap={row.gap} />,
  note: ({ row }) => <NoteRow note={row.note} />,
  opaque: ({ row }) => <OpaqueCard envelope={row.envelope} />,
  end: ({ row }) => <EndRow end={row.end} />,
};

function QuestionRow({ row: { question } }: RowProps<"question">) {
  const { isPast } = useRunFacts();
  if (isPast && question.status === "pending") return <PastWait>{question.question}</PastWait>;
  return <QuestionCard question={question} />;
}
