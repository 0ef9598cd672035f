import type { RuleId } from "./rules.ts";

/** A rule that was broken. */
export interface Violation {
  kind: "violation";
  rule: RuleId;
  /** Place of the event in its stream, from 0; the number of events for what is missing at the end. */
  index: number;
  message: string;
}

/** Something a reader does not know and lets pass. */
export interface Note {
  kind: "note";
  index: number;
  message: string;
}

export type Finding = Violation | Note;

/** Where the rules report to. */
export interface Report {
  violation(rule: RuleId, message: string): void;
  note(message: string): void;
  /** The stream is joined in the middle: spans that were never seen opened count as open. */
  readonly joined: boolean;
}

/** A report that stamps findings with the event under way, and hands them out once. */
export function createReport(joined: boolean): Report & { index: number; take(): Finding[] } {
  let findings: Finding[] = [];
  return {
    joined,
    index: -1,
    violation(rule, message) {
      findings.push({ kind: "violation", rule, index: this.index, message });
    },
    note(message) {
      findings.push({ kind: "note", index: this.index, message });
    },
    take() {
      if (findings.length === 0) return findings;
      const taken = findings;
      findings = [];
      return taken;
    },
  };
}
