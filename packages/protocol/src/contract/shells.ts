import type { Report } from "./finding.ts";
import { quote } from "./tool-calls.ts";

/** Commands, one at a time per call. Commands without a toolCallId count as one call. */
export class Shells {
  readonly #open = new Set<string>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  start(toolCallId = ""): void {
    if (this.#open.has(toolCallId))
      this.#report.violation("shell.overlap", `shell_start comes while a command ${of(toolCallId)} runs.`);
    this.#open.add(toolCallId);
  }

  output(type: string, toolCallId = ""): void {
    if (this.#open.has(toolCallId)) return;
    if (this.#report.joined) this.#open.add(toolCallId);
    else this.#report.violation("shell.start", `${type} comes while no command ${of(toolCallId)} runs.`);
  }

  exit(toolCallId = ""): void {
    this.output("shell_exit", toolCallId);
    this.#open.delete(toolCallId);
  }

  /** The call ends, so its command must have ended. */
  closeCall(toolCallId: string, moment: string): void {
    if (this.#open.delete(toolCallId)) this.#reportOpen(toolCallId, moment);
  }

  close(moment: string): void {
    for (const toolCallId of this.#open) this.#reportOpen(toolCallId, moment);
    this.#open.clear();
  }

  #reportOpen(toolCallId: string, moment: string): void {
    this.#report.violation("shell.open", `A command ${of(toolCallId)} is still running at ${moment}.`);
  }
}

const of = (toolCallId: string): string => (toolCallId === "" ? "without a toolCallId" : `of ${quote(toolCallId)}`);
