import type { CardItem, Row } from "../row-types.ts";
import { toolWords } from "../words/tool-words.ts";

/** A place where the words are found. */
export interface Match {
  readonly row: number;
  /** The card that must be open to see it. */
  readonly card?: string;
}

/** Finds text in the conversation, also in rows that are not mounted and cards that are closed. */
export function searchRows(rows: readonly Row[], words: string): Match[] {
  const needle = words.trim().toLowerCase();
  if (needle === "") return [];
  const has = (...texts: (string | undefined)[]) => texts.some((text) => text?.toLowerCase().includes(needle));
  return rows.flatMap((row, index): Match[] => {
    if (row.kind !== "cards") return has(...textsOf(row)) ? [{ row: index }] : [];
    return row.cards.flatMap((card) => (has(...textsOfCard(card)) ? [{ row: index, card: card.key }] : []));
  });
}

function textsOf(row: Exclude<Row, { kind: "cards" }>): (string | undefined)[] {
  switch (row.kind) {
    case "prompt":
      return [row.prompt.text];
    case "text":
      return [row.message.text];
    case "thought":
      return [row.thought.text];
    case "approval":
      return [row.approval.summary, row.approval.detail, row.approval.diff];
    case "question":
      return [row.question.question, row.question.context, row.question.answer];
    case "error":
      return [row.error.message, row.error.code];
    case "retry":
      return [row.retry.reason];
    case "end":
      return [row.end.message, row.end.code];
    case "turn":
      return [`Turn ${row.turn.number}`, row.turn.model];
    case "note":
      return [row.note.type, JSON.stringify(row.note.data)];
    case "opaque":
      return [row.envelope.type, JSON.stringify(row.envelope.data)];
    case "gap":
      return [row.gap.message];
    default:
      return [];
  }
}

function textsOfCard(card: CardItem): (string | undefined)[] {
  if (card.kind === "group") return card.cards.flatMap(textsOfCard);
  if (card.kind === "shell") return [card.shell.command, ...outputOf([card.shell])];
  if (card.kind === "file") return [card.file.path, card.file.diff];
  if (card.kind === "subagent") return [card.subagent.name, card.subagent.prompt, card.subagent.summary];
  const { tool, shells, files, subagent } = card;
  const { verb, target } = toolWords(card);
  return [
    ...[verb, target, tool.name, tool.error, tool.summary, subagent?.summary, subagent?.prompt],
    ...[tool.input, tool.output].map((value) => (typeof value === "string" ? value : JSON.stringify(value))),
    ...files.flatMap(({ path, diff }) => [path, diff]),
    ...outputOf(shells),
  ];
}

const outputOf = (
  shells: readonly { head: readonly { text: string }[]; tail: readonly { text: string }[] }[],
): string[] => shells.flatMap(({ head, tail }) => [...head, ...tail].map(({ text }) => text));
