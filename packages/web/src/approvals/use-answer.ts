import type { ApprovalView } from "@spoor/protocol";
import { useSyncExternalStore } from "react";
import { client } from "../live/client.ts";
import { type Answer, createAnswers } from "./answers.ts";

/** How an approval is answered in this tab, and what became of the answer. */
interface Answering {
  /** Absent while nobody answered here, and once the decision has arrived. */
  readonly answer: Answer | undefined;
  /** Whether buttons and keys may be used: it waits, and no answer is on its way. */
  readonly isOpen: boolean;
  approve(): void;
  /** Denies. The agent gets the note. */
  deny(note?: string): void;
}

/** Answers one approval. All places that show it share the answer. */
export function useAnswer(approval: ApprovalView): Answering {
  const given = useSyncExternalStore(answers.subscribe, () => answers.read(approval.id));
  const isPending = approval.status === "pending";
  // The words of a lost race stay, because the reader pressed a button and must learn what happened.
  const answer = isPending || given?.phase === "beaten" ? given : undefined;
  return {
    answer,
    isOpen: isPending && (given === undefined || given.phase === "failed"),
    approve: () => void answers.send(approval, "approve"),
    deny: (note) => void answers.send(approval, "reject", note),
  };
}

/** Whether this tab decided an approval. It is remembered until the tab is closed, so a reload still says "you". */
export const isMine = (approvalId: string): boolean => answers.isMine(approvalId);

/** Whether this tab answered an approval that somebody else had answered before. */
export const wasBeaten = (approvalId: string): boolean => answers.read(approvalId)?.phase === "beaten";

const KEY = "spoor.answered";

const answers = createAnswers(client.approvals, {
  has: (id) => readMine().includes(id),
  add: (id) => writeMine([...readMine().slice(-199), id]),
});

function readMine(): string[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function writeMine(ids: readonly string[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // Without storage the page says "another tab" after a reload.
  }
}
