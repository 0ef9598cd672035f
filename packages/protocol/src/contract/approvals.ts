import type { AgentEventOf } from "../agent-events/catalog.ts";
import type { Report } from "./finding.ts";
import { type Calls, quote } from "./tool-calls.ts";

/** Questions and their answers. A refusal may come without a request, because mode deny does not ask. */
export class Approvals {
  readonly #open = new Map<string, string | undefined>();
  readonly #closed = new Set<string>();
  readonly #report: Report;
  readonly #calls: Calls;
  #mode: AgentEventOf<"session_start">["approvalMode"];

  constructor(report: Report, calls: Calls) {
    this.#report = report;
    this.#calls = calls;
  }

  begin({ approvalMode }: AgentEventOf<"session_start">): void {
    this.#mode = approvalMode;
  }

  request({ interactionId, toolCallId }: AgentEventOf<"approval_request">): void {
    this.#name(interactionId);
    if (this.#mode === "auto") {
      this.#report.violation(
        "approval.mode",
        `The question ${quote(interactionId)} is asked in mode auto, which allows everything.`,
      );
    }
    this.#open.set(interactionId, toolCallId);
    this.#calls.ask(toolCallId);
  }

  question({ interactionId }: AgentEventOf<"input_required">): void {
    this.#name(interactionId);
    this.#closed.add(interactionId);
  }

  answer({ type, interactionId }: AgentEventOf<"approval_granted" | "approval_denied">): void {
    const granted = type === "approval_granted";
    if (granted && this.#mode === "deny") {
      this.#report.violation(
        "approval.mode",
        `The question ${quote(interactionId)} is granted in mode deny, which refuses everything.`,
      );
    }
    if (this.#open.has(interactionId)) this.#calls.answer(this.#open.get(interactionId), granted);
    else if (this.#closed.has(interactionId)) {
      this.#report.violation("approval.answer", `${type} answers the question ${quote(interactionId)} a second time.`);
    } else if (granted && !this.#report.joined) {
      this.#report.violation(
        "approval.request",
        `approval_granted answers ${quote(interactionId)}, which was not asked.`,
      );
    }
    this.#open.delete(interactionId);
    this.#closed.add(interactionId);
  }

  close(moment: string): void {
    for (const id of this.#open.keys()) {
      this.#report.violation("approval.open", `The question ${quote(id)} is not answered at ${moment}.`);
    }
    this.#open.clear();
  }

  #name(interactionId: string): void {
    if (this.#open.has(interactionId) || this.#closed.has(interactionId)) {
      this.#report.violation("approval.id", `A second question has the id ${quote(interactionId)}.`);
    }
  }
}
