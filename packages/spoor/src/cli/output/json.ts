import type { Writable } from "node:stream";
import { ExitError } from "../exit-error.ts";
import { escaped, UNSAFE } from "./terminal-safe.ts";
import { write } from "./write.ts";

/** Prints one value as JSON on a line of its own, or indented. */
export function printJson(output: Writable, value: unknown, indent?: number): void {
  output.write(`${jsonFor(output, JSON.stringify(value, null, indent))}\n`);
}

/** Prints stored lines of JSON unchanged. Waits while the reader is slow (backpressure). */
export async function printStored(output: Writable, lines: string | Uint8Array): Promise<void> {
  await write(output, isTerminal(output) ? jsonFor(output, Buffer.from(lines).toString()) : lines);
}

/** Refuses several of --json, --agent-events and --as: the output has one form. */
export function refuseTwoForms({ json, agentEvents, as }: { json?: true; agentEvents?: true; as?: string }): void {
  const forms = [
    ...(json ? ["--json prints envelopes"] : []),
    ...(agentEvents ? ["--agent-events prints AgentEvents"] : []),
    ...(as ? [`--as ${as} prints another language`] : []),
  ];
  if (forms.length < 2) return;
  const flags = forms.map((form) => form.slice(0, form.indexOf(" prints"))).join(" and ");
  throw new ExitError(2, `${flags} exclude each other: ${forms.join(", ")}. Keep one.`);
}

/**
 * Makes JSON safe for this output. JSON strings may contain C1 controls and marks that reorder text, and a terminal would
 * act on them, so for a terminal they become `\u` escapes, which parse to the same value. Pipes and files get the text unchanged.
 */
export function jsonFor(output: Writable, json: string): string {
  return isTerminal(output) ? json.replace(UNSAFE, (found) => (found === "\n" ? found : escaped(found))) : json;
}

const isTerminal = (output: Writable): boolean => (output as Writable & { isTTY?: boolean }).isTTY === true;
