import { type ApprovalView, createUlidSource } from "@spoor/protocol";
import { type ApprovalRecord, type Resolve, SpoorClientError } from "@spoor/protocol/client";
import { createKeyedCell } from "../ui/store.ts";
import { fromRecord } from "./from-record.ts";
import { alreadyAnswered } from "./who-answered.ts";

/**
 * An answer that was given in this tab.
 *
 * - `sending`: from the press until the event of the decision arrives, which turns the approval's own status.
 * - `beaten`: somebody else was first. `told` says who.
 * - `failed`: it did not reach the server, or was refused. `told` says why; the person may try again.
 */
export interface Answer {
  readonly phase: "sending" | "beaten" | "failed";
  readonly decision: Resolve["decision"];
  readonly told?: string;
}

interface Server {
  resolve(approvalId: string, answer: Resolve, options: { idempotencyKey: string }): Promise<ApprovalRecord>;
  get(approvalId: string): Promise<ApprovalRecord>;
}

interface Memory {
  /** Keeps that this tab decided an approval. */
  add(approvalId: string): void;
  has(approvalId: string): boolean;
}

/** The answers of this tab, shared by the card, the dock and the inbox, so that all of them say "sending". */
export function createAnswers(server: Server, mine: Memory) {
  const answers = createKeyedCell<Answer>();
  // A second try has the key of the first, whose answer may have counted although nobody heard so.
  const keys = new Map<string, string>();

  /** Sends an answer. A second one for the same approval is ignored while the first is on its way. */
  async function send(
    { id, actionHash }: Pick<ApprovalView, "id" | "actionHash">,
    decision: Resolve["decision"],
    note?: string,
  ): Promise<void> {
    if (answers.read(id)?.phase === "sending") return;
    answers.set(id, { phase: "sending", decision });
    const comment = note?.trim();
    const idempotencyKey = keys.get(`${id} ${decision}`) ?? newKey();
    keys.set(`${id} ${decision}`, idempotencyKey);
    try {
      const answer = { decision, ...(actionHash !== undefined && { action_hash: actionHash }) };
      await server.resolve(id, { ...answer, ...(comment && { comment }) }, { idempotencyKey });
      mine.add(id);
      // The words "by you" stand beside the decision.
      answers.set(id, { phase: "sending", decision });
    } catch (error) {
      answers.set(id, { decision, ...(await failureOf(id, error)) });
    }
  }

  async function failureOf(id: string, error: unknown): Promise<Pick<Answer, "phase" | "told">> {
    if (!(error instanceof SpoorClientError)) throw error;
    if (error.code === "approval_gone") return { phase: "beaten", told: "Nothing waits for this answer any more." };
    if (error.code === "action_changed")
      return {
        phase: "failed",
        told: "The action has changed since it was shown here. Reload the page and look at it again.",
      };
    if (error.code === "network")
      return { phase: "failed", told: "The server cannot be reached. Answer again when it is back." };
    if (error.code !== "approval_resolved")
      return { phase: "failed", told: `The answer was not taken. ${error.message}` };
    const record = await server.get(id).catch(() => undefined);
    return { phase: "beaten", told: record ? alreadyAnswered(fromRecord(record)) : "Somebody else answered first." };
  }

  return {
    send,
    read: answers.read,
    subscribe: answers.subscribe,
    isMine: (id: string): boolean => mine.has(id),
  };
}

const newKey = createUlidSource({ prefix: "key_" });

export type Answers = ReturnType<typeof createAnswers>;
