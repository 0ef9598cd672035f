import type { Envelope } from "@spoor/protocol";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Formats an event as one line, for a person who looks through many events. */
export function lineOf({ run_id, sequence, occurred_at, type, data }: Envelope, withRun: boolean): string {
  const run = withRun ? `${run_id.slice(-6)} ` : "";
  const text = JSON.stringify(data);
  return `${run}${String(sequence).padStart(5)}  ${occurred_at.slice(11, 23)}  ${terminalSafe(type).padEnd(28)} ${terminalSafe(text.length > 160 ? `${text.slice(0, 160)}…` : text)}\n`;
}
