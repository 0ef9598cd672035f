import type { Report } from "./finding.ts";

/**
 * One kind of streamed text: messages or thoughts. Each delta compares lengths only, and the end compares the whole text
 * once, so that the cost is linear in the length of the text, with or without `accumulated`.
 */
export class TextSpan {
  #open: { deltas: string[]; length: number; last: string | undefined; whole: boolean } | undefined;
  readonly #report: Report;
  readonly #kind: "message" | "thinking";

  constructor(report: Report, kind: "message" | "thinking") {
    this.#report = report;
    this.#kind = kind;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  start(other: TextSpan): void {
    if (this.#open)
      this.#report.violation(
        `${this.#kind}.overlap`,
        `${this.#kind}_start comes while another ${this.#kind} span is open.`,
      );
    else if (other.isOpen)
      this.#report.violation(`${this.#kind}.overlap`, `${this.#kind}_start comes inside a ${other.#kind} span.`);
    this.#open = { deltas: [], length: 0, last: undefined, whole: true };
  }

  delta(delta: string, accumulated: string | undefined): void {
    const open = this.#required("delta");
    if (!open?.whole) return;
    open.deltas.push(delta);
    open.length += delta.length;
    if (accumulated === undefined) return;
    open.last = accumulated;
    if (accumulated.length !== open.length) {
      this.#report.violation(
        `${this.#kind}.accumulated`,
        `accumulated has ${accumulated.length} characters, but the deltas have ${open.length}.`,
      );
    }
  }

  stop(text: string): void {
    const open = this.#required("stop");
    this.#open = undefined;
    if (!open?.whole) return;
    const matched = matchingLength(text, open.deltas);
    if (open.deltas.length === 0)
      this.#report.violation(`${this.#kind}.empty`, `${this.#kind}_stop comes without a delta.`);
    else if (matched < text.length || text.length < open.length) {
      const rest = JSON.stringify(text.slice(matched, matched + 20));
      this.#report.violation(
        `${this.#kind}.text`,
        `The text has ${text.length} characters and its deltas have ${open.length}. They differ near character ${matched}, at ${rest}.`,
      );
    } else if (open.last !== undefined && open.last.length === text.length && open.last !== text) {
      this.#report.violation(`${this.#kind}.accumulated`, "The last `accumulated` differs from the text.");
    }
  }

  /** Reports a span that is still open at `moment`. */
  close(moment: string): void {
    if (!this.#open) return;
    this.#report.violation(`${this.#kind}.open`, `A ${this.#kind} span is still open at ${moment}.`);
    this.#open = undefined;
  }

  #required(what: string) {
    if (!this.#open) {
      if (this.#report.joined) this.#open = { deltas: [], length: 0, last: undefined, whole: false };
      else this.#report.violation(`${this.#kind}.start`, `A ${this.#kind} ${what} comes without a start.`);
    }
    return this.#open;
  }
}

/** The number of characters up to which the text equals the deltas, to the precision of a delta. */
function matchingLength(text: string, deltas: readonly string[]): number {
  let at = 0;
  for (const delta of deltas) {
    if (!text.startsWith(delta, at)) return at;
    at += delta.length;
  }
  return at;
}
