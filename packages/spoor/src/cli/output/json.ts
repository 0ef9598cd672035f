import { once } from "node:events";
import type { Writable } from "node:stream";
import { ExitError } from "../exit-error.ts";
import { escaped, UNSAFE } from "./terminal-safe.ts";

/** Prints one value as JSON on a line of its own, or indented. */
export function printJson(output: Writable, value: unknown, indent?: number): void {
  output.write(`${jsonFor(output, JSON.stringify(value, null, indent))}\n`);
}

/** Prints lines of JSON as they are stored, and waits while the reader is behind. */
export async function printStored(output: Writable, lines: string | Uint8Array): Promise<void> {
  const text = isTerminal(output) ? jsonFor(output, Buffer.from(lines).toString()) : lines;
  if (!output.write(text)) await once(output, "drain");
}

/** Envelopes or AgentEvents: a stream has one form. */
export function refuseTwoForms({ json, agentEvents }: { json?: true; agentEvents?: true }): void {
  if (json && agentEvents) throw new ExitError(2, "--json and --agent-events are two forms of the same: choose one.");
}

/**
 * JSON as this output may receive it. A terminal acts on C1 controls and on marks that reorder text, and JSON allows both
 * in strings, so they become `\u` escapes there: the parsed value is the same. A pipe or a file gets the text unchanged.
 */
export function jsonFor(output: Writable, json: string): string {
  return isTerminal(output) ? json.replace(UNSAFE, (found) => (found === "\n" ? found : escaped(found))) : json;
}

const isTerminal = (output: Writable): boolean => (output as Writable & { isTTY?: boolean }).isTTY === true;
