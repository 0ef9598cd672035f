import type { AgentEventOf } from "@spoor/protocol";
import type { ApprovalAnswer, Callbacks } from "../options/callbacks.ts";
import type { OnThrow } from "./call-safely.ts";
import type { InteractionAnswer, InteractionChannel, PendingInteraction } from "./interaction-channel.ts";

type Question = AgentEventOf<"approval_request"> | AgentEventOf<"input_required">;

/** Lets the user's callback for this kind of question answer it. The first answer counts, no matter who gives it. */
export async function answerWith(
  callbacks: Callbacks,
  question: Question,
  channel: InteractionChannel,
  onThrow: OnThrow,
): Promise<void> {
  const call = callFor(callbacks, question);
  if (!call) return;
  let response: InteractionAnswer;
  try {
    response = await call();
  } catch (error) {
    onThrow(error, {});
    response = { deny: true, reason: "The callback that was to answer threw an error." };
  }
  const { interactionId: id } = question;
  if (channel.pending.some((pending: PendingInteraction) => pending.id === id)) void channel.respond(id, response);
}

/** Denies every question before a listener can answer it. */
export function refuseAll(channel: InteractionChannel): void {
  channel.onPending(({ id }) => {
    // Answer after the event, because listeners have not received it yet.
    queueMicrotask(() => {
      const isPending = channel.pending.some((pending) => pending.id === id);
      if (isPending) void channel.respond(id, { deny: true, reason: NOTHING_ALLOWED }, "approve=deny");
    });
  });
}

const NOTHING_ALLOWED = "Nothing that needs permission is allowed in this run.";

function callFor(
  { onApprovalRequest, onInputRequired }: Callbacks,
  question: Question,
): (() => Promise<InteractionAnswer>) | undefined {
  if (question.type === "input_required") {
    return onInputRequired && (async () => ({ text: String(await onInputRequired(question)) }));
  }
  return onApprovalRequest && (async () => responseOf(await onApprovalRequest(question)));
}

function responseOf(answer: ApprovalAnswer): InteractionAnswer {
  if (answer === true || answer === "approve") return { approve: true };
  if (typeof answer === "object" && answer !== null) return answer;
  return { deny: true };
}
