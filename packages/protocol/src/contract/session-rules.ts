import type { AgentEvent, AgentEventOf } from "../agent-events/catalog.ts";
import { isSessionEvent } from "../agent-events/guards.ts";
import type { Report } from "./finding.ts";
import { quote } from "./tool-calls.ts";

/** How a run opens, what may come before its first turn, and how it closes. */
export class SessionRules {
  ended = false;
  #start: AgentEventOf<"session_start"> | undefined;
  /** Whether an event other than debug and log was seen. */
  #opened = false;
  /** The phase of the run. Phases follow in this order: nothing, resume, fork, start-up facts, turns. */
  #place: "start" | "resumed" | "forked" | "later" = "start";
  #priorTurns: number | undefined;
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Called first for every event other than debug and log. */
  enter(event: AgentEvent): void {
    if (event.type === "session_start") this.#begin(event);
    else if (!this.#opened && !this.#report.joined) {
      this.#report.violation("session.first", `${event.type} comes before session_start.`);
    }
    this.#opened = true;
    if (isSessionEvent(event) && this.#start && event.sessionId !== this.#start.sessionId) {
      this.#report.violation(
        "session.id",
        `${event.type} names the session ${quote(event.sessionId)}, but session_start names ${quote(this.#start.sessionId)}.`,
      );
    }
    if (event.type === "session_resume") this.#resume(event);
    else if (event.type === "session_fork") this.#fork(event);
    else if (event.type !== "session_start") this.#place = "later";
  }

  end({ turnCount }: AgentEventOf<"session_end">, turns: number): void {
    this.ended = true;
    if (!this.#start) return;
    const exact = !this.#start.resumed || this.#priorTurns !== undefined;
    const expected = (this.#priorTurns ?? 0) + turns;
    if (exact ? turnCount !== expected : turnCount < expected) {
      this.#report.violation("session.count", `turnCount is ${turnCount}, but must be ${expected}.`);
    }
  }

  finish(): void {
    if (!this.#opened && !this.#report.joined)
      this.#report.violation("session.first", "The stream has no session_start.");
    else if (this.#opened && !this.ended) this.#report.violation("session.end", "The stream ends without session_end.");
  }

  #begin(event: AgentEventOf<"session_start">): void {
    if (this.#start) this.#report.violation("session.once", "session_start comes a second time.");
    this.#start ??= event;
  }

  #resume({ priorTurnCount }: AgentEventOf<"session_resume">): void {
    if (this.#start && !this.#start.resumed) {
      this.#report.violation("session.resume", "session_resume comes after a session_start that does not say resumed.");
    } else if (this.#start && this.#place !== "start") {
      this.#report.violation("session.resume", "session_resume does not come right after session_start.");
    }
    this.#place = "resumed";
    this.#priorTurns = priorTurnCount;
  }

  #fork({ forkedFrom }: AgentEventOf<"session_fork">): void {
    if (this.#start && forkedFrom !== this.#start.forkedFrom) {
      this.#report.violation(
        "session.fork",
        `session_fork names the session ${quote(forkedFrom)}, which session_start does not name.`,
      );
    } else if (this.#start && this.#place !== "start" && this.#place !== "resumed") {
      this.#report.violation("session.fork", "session_fork comes after start-up facts, turns or another session_fork.");
    }
    this.#place = "forked";
  }
}
