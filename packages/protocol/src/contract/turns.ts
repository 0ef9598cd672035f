import type { AgentEventOf } from "../agent-events/catalog.ts";
import type { Report } from "./finding.ts";

/** Turns and the steps inside them. */
export class Turns {
  /** Number of the open turn. */
  open: number | undefined;
  started = 0;
  #next: number | undefined;
  #step: number | undefined;
  #nextStep = 0;
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
    if (!report.joined) this.#next = 0;
  }

  /** Reports an event that must be inside a turn when none is open. */
  get accepts(): boolean {
    return this.open !== undefined || this.#next === undefined;
  }

  start({ turnIndex }: AgentEventOf<"turn_start">): void {
    if (this.open !== undefined) {
      this.#report.violation("turn.overlap", `turn_start(${turnIndex}) comes while turn ${this.open} is open.`);
      this.#step = undefined;
    }
    if (this.#next !== undefined && turnIndex !== this.#next) {
      this.#report.violation("turn.index", `turn_start(${turnIndex}) comes where turn ${this.#next} is expected.`);
    }
    this.open = turnIndex;
    this.#next = turnIndex + 1;
    this.#nextStep = 0;
    this.started += 1;
  }

  end({ turnIndex }: AgentEventOf<"turn_end">): void {
    if (this.open === undefined && this.#next === undefined) this.#next = turnIndex + 1;
    else if (this.open === undefined)
      this.#report.violation("turn.end", `turn_end(${turnIndex}) comes while no turn is open.`);
    else if (turnIndex !== this.open) {
      this.#report.violation("turn.end", `turn_end(${turnIndex}) comes while turn ${this.open} is open.`);
    }
    this.open = undefined;
  }

  startStep({ turnIndex, stepIndex }: AgentEventOf<"step_start">): void {
    this.#checkTurn(turnIndex, "step_start");
    if (this.#step !== undefined) {
      this.#report.violation("step.overlap", `step_start(${stepIndex}) comes while step ${this.#step} is open.`);
    }
    if (stepIndex !== this.#nextStep && this.open !== undefined) {
      this.#report.violation("step.index", `step_start(${stepIndex}) comes where step ${this.#nextStep} is expected.`);
    }
    this.#step = stepIndex;
    this.#nextStep = stepIndex + 1;
  }

  endStep({ turnIndex, stepIndex }: AgentEventOf<"step_end">): void {
    this.#checkTurn(turnIndex, "step_end");
    if (this.#step === undefined && this.open !== undefined) {
      this.#report.violation("step.end", `step_end(${stepIndex}) comes while no step is open.`);
    } else if (this.#step !== undefined && stepIndex !== this.#step) {
      this.#report.violation("step.end", `step_end(${stepIndex}) comes while step ${this.#step} is open.`);
    }
    this.#step = undefined;
  }

  closeStep(moment: string): void {
    if (this.#step !== undefined) this.#report.violation("step.open", `Step ${this.#step} is still open at ${moment}.`);
    this.#step = undefined;
  }

  close(moment: string): void {
    if (this.open !== undefined) this.#report.violation("turn.open", `Turn ${this.open} is still open at ${moment}.`);
    this.open = undefined;
  }

  #checkTurn(turnIndex: number, what: string): void {
    if (this.open !== undefined && turnIndex !== this.open) {
      this.#report.violation("step.turn", `${what} of turn ${turnIndex} comes while turn ${this.open} is open.`);
    }
  }
}
