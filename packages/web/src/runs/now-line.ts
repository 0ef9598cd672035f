import type { ApprovalRecord, RunRecord } from "@spoor/protocol/client";
import { approvalWords, lineOf } from "../approvals/exact-action.ts";
import { fromRecord } from "../approvals/from-record.ts";
import { throughDoor } from "../text/through-door.ts";

/** The second line of a row: words of ours, and what an agent wrote. */
interface NowLine {
  readonly words: string;
  /** Shown as code. */
  readonly code?: string;
  /** Shown in quotes. */
  readonly quote?: string;
  /** Words of ours behind the code. */
  readonly after?: string;
}

/** What a run does now, or how it ended. `approval` is one that it waits for; `isStalled` when it was silent for long. */
export function nowLine(run: RunRecord, approval?: ApprovalRecord, isStalled = false): NowLine {
  if (approval) {
    const asked = fromRecord(approval);
    return { words: approvalWords(asked).verb, code: lineOf(asked) };
  }
  const { now, result, error_code, status } = run;
  if (now !== undefined) return isStalled ? lastHeard(now) : ofNow(now);
  if (status === "failed") return { words: result ?? error_code ?? "It failed." };
  if (status === "cancelled") return { words: cancelledWords(result) };
  return result === undefined ? { words: "" } : { words: "", quote: result };
}

/** The server names the door through which a run was cancelled: `Cancelled by cli.` */
function cancelledWords(result: string | undefined): string {
  const by = /^Cancelled by (\S+)\.$/.exec(result ?? "")?.[1];
  return by === undefined ? (result ?? "It was cancelled.") : `Cancelled${throughDoor(by)}.`;
}

/** The server writes `runs npm test`; the list says `Running npm test`, and marks what is code. */
function ofNow(now: string): NowLine {
  for (const [start, words, rest] of beginnings) {
    if (!now.startsWith(start)) continue;
    const what = now.slice(start.length);
    return rest === "words" || what === ""
      ? { words: words + (rest === "words" ? what : "") }
      : { words, [rest]: what };
  }
  return { words: now.slice(0, 1).toUpperCase() + now.slice(1) };
}

/** Nobody knows whether a silent run still does what it did last. */
function lastHeard(now: string): NowLine {
  const { words, code, quote } = ofNow(now);
  if (words === "Running" && code !== undefined) return { words: "Last heard:", code, after: "started" };
  const rest = { ...(code !== undefined && { code }), ...(quote !== undefined && { quote }) };
  return { words: `Last heard: ${words.slice(0, 1).toLowerCase()}${words.slice(1)}`.trim(), ...rest };
}

const beginnings: readonly (readonly [start: string, words: string, rest: "code" | "quote" | "words"])[] = [
  ["writes an answer", "Writing an answer", "words"],
  ["asks for permission: ", "Asks for", "code"],
  ["asks: ", "", "quote"],
  ["runs ", "Running", "code"],
  ["edits ", "Editing", "code"],
  ["writes ", "Writing", "code"],
  ["reads ", "Reading", "code"],
  ["uses ", "Using", "code"],
  ["prepares ", "Preparing", "code"],
  ["calls the model", "Waits for the model", "words"],
  ["thinks", "Thinking", "words"],
  ["starts", "Starting", "words"],
];
