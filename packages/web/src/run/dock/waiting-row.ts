import type { ApprovalView, QuestionView } from "@spoor/protocol";

/** A row of the conversation that waits for an answer. */
export type WaitingRow = { readonly key: string } & (
  | { readonly kind: "approval"; readonly approval: ApprovalView }
  | { readonly kind: "question"; readonly question: QuestionView }
);
