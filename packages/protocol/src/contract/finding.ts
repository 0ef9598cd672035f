import type { RuleId } from "./rules.ts";

/** A rule that was broken. */
export interface Violation {
  kind: "violation";
  rule: RuleId;
  /** Index of the event in its stream. For something that is missing at the end, the number of events. */
  index: number;
  message: string;
}

/** Something unknown that a reader must tolerate. */
export interface Note {
  kind: "note";
  index: number;
  message: string;
}

export type Finding = Violation | Note;

/** Collects what the rules find. */
export interface Report {
  violation(rule: RuleId, message: string): void;
  note(message: string): void;
  /** The stream begins in the middle of a run, so spans whose start was not seen count as open. */
  readonly joined: boolean;
}

/** A report that adds the index of the current event to each finding. `take` returns each finding once. */
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
