import { once } from "node:events";
import type { Writable } from "node:stream";
import { ExitError } from "../exit-error.ts";
import { escaped, UNSAFE } from "./terminal-safe.ts";

/** Prints one value as JSON on a line of its own, or indented. */
export function printJson(output: Writable, value: unknown, indent?: number): void {
  output.write(`${jsonFor(output, JSON.stringify(value, null, indent))}\n`);
}

/** Prints stored lines of JSON unchanged. Waits while the reader is slow (backpressure). */
export async function printStored(output: Writable, lines: string | Uint8Array): Promise<void> {
  const text = isTerminal(output) ? jsonFor(output, Buffer.from(lines).toString()) : lines;
  if (!output.write(text)) await once(output, "drain");
}

/** Refuses --json together with --agent-events: the output has one form. */
export function refuseTwoForms({ json, agentEvents }: { json?: true; agentEvents?: true }): void {
  if (json && agentEvents)
    throw new ExitError(
      2,
      "--json and --agent-events exclude each other: --json prints envelopes, --agent-events prints AgentEvents. Keep one.",
    );
}

/**
 * Makes JSON safe for this output. JSON strings may contain C1 controls and marks that reorder text, and a terminal would
 * act on them, so for a terminal they become `\u` escapes, which parse to the same value. Pipes and files get the text unchanged.
 */
export function jsonFor(output: Writable, json: string): string {
  return isTerminal(output) ? json.replace(UNSAFE, (found) => (found === "\n" ? found : escaped(found))) : json;
}

const isTerminal = (output: Writable): boolean => (output as Writable & { isTTY?: boolean }).isTTY === true;
