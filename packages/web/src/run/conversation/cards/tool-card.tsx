import { isMine } from "../../../approvals/use-answer.ts";
import { Counts, sumCounts } from "../../../ui/counts.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { useRunFacts } from "../../run-context.ts";
import type { ToolCardItem } from "../row-types.ts";
import { toolResult } from "../words/tool-result.ts";
import { opensItself, toolWords } from "../words/tool-words.ts";
import { CardFrame } from "./card-frame.tsx";
import styles from "./cards.module.css";
import { ToolBody } from "./tool-body.tsx";

/** A call of a tool: one line, and what it did inside. */
export function ToolCard({ card }: { card: ToolCardItem }) {
  const { isPast } = useRunFacts();
  // Only a call that runs now needs the clock.
  return card.tool.state === "running" && !isPast ? <RunningCard card={card} /> : <CardAt card={card} />;
}

const RunningCard = ({ card }: { card: ToolCardItem }) => <CardAt card={card} now={useNow(1000)} />;

function CardAt({ card, now }: { card: ToolCardItem; now?: number }) {
  const { tool, files } = card;
  const { icon, verb, target } = toolWords(card, useRunFacts().workspace);
  const isWriting = tool.state === "proposed" && tool.input === undefined;
  return (
    <CardFrame
      id={card.key}
      sequence={card.sequence}
      opensItself={opensItself(card)}
      isFailed={tool.state === "failed"}
      icon={icon}
      verb={verb}
      target={isWriting && target === "" ? "writing the input…" : target}
      result={toolResult(card, now, isMine)}
      extra={
        <>
          <Counts {...sumCounts(files)} className={styles.counts} />
          {tool.kind === "subagent" && <span className="tag">subagent</span>}
        </>
      }
    >
      <ToolBody card={card} />
    </CardFrame>
  );
}
