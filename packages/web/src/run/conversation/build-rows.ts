import type { RunView, TimelineEntry, ToolView } from "@spoor/protocol";
import { withGrownTexts } from "./grown-texts.ts";
import type { CardItem, Mark, Row, ToolCardItem } from "./row-types.ts";
import { joinReads } from "./words/join-reads.ts";
import { isShownNote } from "./words/note-words.ts";

/**
 * Turns views of one run into the rows of its conversation. A row whose items did not change is the same object as
 * before, so that it is not drawn again.
 */
export function createRowBuilder(): (view: RunView) => readonly Row[] {
  let rows: readonly Row[] = [];
  let shown: RunView | undefined;
  const build = (view: RunView): readonly Row[] => {
    const before = new Map(rows.map((row) => [row.key, row]));
    return rowsOf(view).map((row) => {
      const last = before.get(row.key);
      return last && last.mark === row.mark && isSame(last.parts, row.parts) ? last : row;
    });
  };
  return (view) => {
    rows = withGrownTexts(rows, shown, view) ?? build(view);
    shown = view;
    return rows;
  };
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((part, index) => Object.is(part, other[index]));

function rowsOf(view: RunView): Row[] {
  const rows: Row[] = [];
  let block: CardItem[] = [];
  const closeBlock = () => {
    const joined = joinReads(block);
    for (let at = 0; at < joined.length; at += MOST_CARDS) rows.push(cardsRow(joined.slice(at, at + MOST_CARDS)));
    block = [];
  };
  for (const [at, entry] of view.timeline.entries()) {
    const card = cardOf(view, entry);
    if (card === "inside") continue;
    if (card) {
      block.push(card);
      continue;
    }
    const row = rowOf(view, entry, at, rows);
    if (!row) continue;
    closeBlock();
    rows.push(row);
  }
  closeBlock();
  const { end } = view;
  // A later turn continues the run, and its end is not the end of the conversation any more.
  if (end)
    rows.push({ kind: "end", end, key: "end", sequence: view.lastSequence, mark: endMarks[end.status], parts: [end] });
  return rows;
}

/** Only rows near the screen are drawn, and an agent may do thousands of things without a word. */
const MOST_CARDS = 30;

function cardsRow(cards: readonly CardItem[]): Row {
  const [first] = cards as readonly [CardItem];
  const parts = cards.flatMap(partsOfCard);
  return { kind: "cards", cards, key: `cards ${first.key}`, sequence: first.sequence, mark: "do", parts };
}

const endMarks: Readonly<Record<"completed" | "failed" | "cancelled", Mark>> = {
  completed: "none",
  cancelled: "none",
  failed: "bad",
};

/** The card of an entry; `inside` if another card or row shows it. */
function cardOf(view: RunView, { kind, index, tool, sequence }: TimelineEntry): CardItem | "inside" | undefined {
  const key = `${kind} ${index}`;
  if (kind === "tools") {
    const call = view.tools[index];
    if (!call) return "inside";
    return pendingOf(view, call) ? undefined : toolCard(view, call, key, sequence);
  }
  if (tool !== undefined && (kind === "shells" || kind === "files" || kind === "approvals")) return "inside";
  if (kind === "shells") return looseCard(view.shells[index], (shell) => ({ kind: "shell", key, sequence, shell }));
  if (kind === "files") return looseCard(view.files[index], (file) => ({ kind: "file", key, sequence, file }));
  if (kind === "subagents") {
    const subagent = view.subagents[index];
    if (view.tools.some(({ id }) => id === subagent?.id)) return "inside";
    return looseCard(subagent, (found) => ({ kind: "subagent", key, sequence, subagent: found }));
  }
  return undefined;
}

const looseCard = <Item>(item: Item | undefined, make: (item: Item) => CardItem): CardItem | "inside" =>
  item === undefined ? "inside" : make(item);

function toolCard(view: RunView, tool: ToolView, key: string, sequence: number): ToolCardItem {
  return {
    ...{ kind: "tool", key, sequence, tool },
    shells: pick(view.shells, tool.shells),
    files: pick(view.files, tool.files),
    approvals: pick(view.approvals, tool.approvals),
    subagent: tool.kind === "subagent" ? view.subagents.find(({ id }) => id === tool.id) : undefined,
  };
}

const pick = <Item>(list: readonly Item[], indexes: readonly number[]): Item[] =>
  indexes.map((index) => list[index]).filter((item) => item !== undefined);

const pendingOf = (view: RunView, { approvals }: ToolView) =>
  pick(view.approvals, approvals).find(({ status }) => status === "pending");

function partsOfCard(card: CardItem): unknown[] {
  if (card.kind === "tool") return [card.tool, ...card.shells, ...card.files, ...card.approvals, card.subagent];
  if (card.kind === "shell") return [card.shell];
  if (card.kind === "file") return [card.file];
  return card.kind === "subagent" ? [card.subagent] : card.cards.flatMap(partsOfCard);
}

function rowOf(view: RunView, entry: TimelineEntry, at: number, rows: readonly Row[]): Row | undefined {
  const { kind, index, sequence } = entry;
  const key = `${kind} ${index}`;
  switch (kind) {
    case "prompts": {
      const prompt = view.prompts[index];
      if (!prompt) return undefined;
      const attachments = view.attachments.filter(
        ({ turn }) => turn === prompt.turn && index === lastPromptOf(view, turn),
      );
      return { kind: "prompt", key, sequence, mark: "you", prompt, attachments, parts: [prompt, ...attachments] };
    }
    case "turns": {
      const turn = view.turns[index];
      if (!turn) return undefined;
      const isNewModel = turn.model !== undefined && turn.model !== view.turns[index - 1]?.model;
      const offsetMs = between(view.createdAt, turn.startedAt);
      return {
        kind: "turn",
        key,
        sequence,
        mark: "none",
        turn,
        isNewModel,
        offsetMs,
        parts: [turn, isNewModel, offsetMs],
      };
    }
    case "messages": {
      const message = view.messages[index];
      return message && { kind: "text", key, sequence, mark: "say", message, parts: [message] };
    }
    case "thoughts": {
      const thought = view.thoughts[index];
      if (!thought || (thought.complete && thought.text.trim() === "")) return undefined;
      const durationMs = thought.complete ? between(thought.at, nextTime(view, at)) : undefined;
      return { kind: "thought", key, sequence, mark: "quiet", thought, durationMs, parts: [thought, durationMs] };
    }
    case "tools": {
      const tool = view.tools[index];
      const approval = tool && pendingOf(view, tool);
      return approval && { kind: "approval", key, sequence, mark: "hold", approval, parts: [approval] };
    }
    case "approvals": {
      const approval = view.approvals[index];
      const mark = approval?.status === "pending" ? "hold" : "quiet";
      return approval && { kind: "approval", key, sequence, mark, approval, parts: [approval] };
    }
    case "questions": {
      const question = view.questions[index];
      const mark = question?.status === "pending" ? "hold" : "quiet";
      return question && { kind: "question", key, sequence, mark, question, parts: [question] };
    }
    case "images": {
      const image = view.images[index];
      return image && { kind: "image", key, sequence, mark: "say", image, parts: [image] };
    }
    case "errors": {
      const error = view.errors[index];
      // The line about the end of the run says the same.
      if (!error || (view.end?.status === "failed" && error.message === view.end.message)) return undefined;
      return { kind: "error", key, sequence, mark: "bad", error, parts: [error] };
    }
    case "retries": {
      const retry = view.retries[index];
      const isOpen = at === view.timeline.length - 1 && view.end === undefined;
      return retry && { kind: "retry", key, sequence, mark: "bad", retry, isOpen, parts: [retry, isOpen] };
    }
    case "gaps": {
      const gap = view.gaps[index];
      const mark = gap?.type === "gap.run_disconnected" ? "bad" : "break";
      return gap && { kind: "gap", key, sequence, mark, gap, parts: [gap] };
    }
    case "notes": {
      const note = view.notes[index];
      if (!note || !isShownNote(note, rows.at(-1))) return undefined;
      return { kind: "note", key, sequence, mark: "none", note, parts: [note] };
    }
    case "opaque": {
      const envelope = view.opaque[index];
      return envelope && { kind: "opaque", key, sequence, mark: "quiet", envelope, parts: [envelope] };
    }
    default:
      return undefined;
  }
}

const lastPromptOf = (view: RunView, turn: number): number =>
  view.prompts.findLastIndex((prompt) => prompt.turn === turn);

function between(from: string | undefined, to: string | undefined): number | undefined {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  return ms >= 0 ? ms : undefined;
}

/** When the entry after this one began, which is when a thought was over. */
function nextTime(view: RunView, at: number): string | undefined {
  for (const { kind, index } of view.timeline.slice(at + 1, at + 4)) {
    if (kind === "messages") return view.messages[index]?.at;
    if (kind === "tools") return view.tools[index]?.proposedAt ?? view.tools[index]?.startedAt;
    if (kind === "thoughts") return view.thoughts[index]?.at;
    if (kind === "turns") return view.turns[index]?.startedAt;
  }
  return undefined;
}

/** The row that shows an event: the last one that begins with it or before it. */
export function rowOfEvent(rows: readonly Row[], sequence: number): number {
  let found = -1;
  for (const [index, row] of rows.entries()) if (row.kind !== "end" && row.sequence <= sequence) found = index;
  return found;
}
