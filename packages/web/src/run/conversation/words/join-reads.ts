import type { CardItem, GroupItem, ToolCardItem } from "../row-types.ts";

/** Reads and searches that join when at least this many follow each other. */
const MANY = 3;

const reads: ReadonlySet<string> = new Set(["file_read", "glob", "grep"]);

/** Joins reads and searches that follow each other and went well into one card each. */
export function joinReads(cards: readonly CardItem[]): CardItem[] {
  const joined: CardItem[] = [];
  let run: ToolCardItem[] = [];
  const close = () => {
    const [first] = run;
    if (first && run.length >= MANY)
      joined.push({ kind: "group", key: `group ${first.key}`, sequence: first.sequence, cards: run });
    else joined.push(...run);
    run = [];
  };
  for (const card of cards) {
    if (card.kind === "tool" && reads.has(card.tool.kind) && card.tool.state === "completed") run.push(card);
    else {
      close();
      joined.push(card);
    }
  }
  close();
  return joined;
}

/** "Read 6 files, searched twice". */
export function groupWords({ cards }: GroupItem): string {
  const readCount = cards.filter(({ tool }) => tool.kind === "file_read").length;
  const searchCount = cards.length - readCount;
  const read = readCount > 0 ? `read ${readCount === 1 ? "a file" : `${readCount} files`}` : "";
  const searched = searchCount > 0 ? `searched ${times(searchCount)}` : "";
  const words = [read, searched].filter(Boolean).join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);
