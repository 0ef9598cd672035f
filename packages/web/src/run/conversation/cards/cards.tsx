import { stepTime } from "../../../ui/format.ts";
import { joined } from "../../../ui/joined.ts";
import type { CardItem, GroupItem } from "../row-types.ts";
import { groupWords } from "../words/join-reads.ts";
import { CardFrame } from "./card-frame.tsx";
import styles from "./cards.module.css";
import { FileCard, ShellCard, SubagentCard } from "./loose-cards.tsx";
import { ToolCard } from "./tool-card.tsx";

/** What the agent did without a word in between: cards that touch each other. */
export const Cards = ({ cards }: { cards: readonly CardItem[] }) => (
  <div className={styles.cards}>
    {cards.map((card) => (
      <Card key={card.key} card={card} />
    ))}
  </div>
);

function Card({ card }: { card: CardItem }) {
  if (card.kind === "tool") return <ToolCard card={card} />;
  if (card.kind === "group") return <GroupCard group={card} />;
  if (card.kind === "shell") return <ShellCard shell={card.shell} sequence={card.sequence} id={card.key} />;
  return card.kind === "file" ? <FileCard file={card.file} id={card.key} /> : <SubagentCard {...card} id={card.key} />;
}

/** Several reads and searches. Opened, it shows each. */
function GroupCard({ group }: { group: GroupItem }) {
  const time = group.cards.reduce((sum, { tool }) => sum + (tool.durationMs ?? 0), 0);
  return (
    <CardFrame
      id={group.key}
      sequence={group.sequence}
      opensItself={false}
      icon="file"
      verb={groupWords(group)}
      target=""
      result={{ icon: "tick", tone: "ok", words: time > 0 ? stepTime(time) : "" }}
    >
      <div className={styles.inside}>
        {joined(group.cards, (card) => (
          <ToolCard card={card} />
        ))}
      </div>
    </CardFrame>
  );
}
