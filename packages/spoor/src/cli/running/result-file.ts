import { writeFileSync } from "node:fs";
import { prefixed } from "@spoor/protocol/ids";
import { snakeCase } from "../../inventory/snake-case.ts";
import type { RunResult } from "../../run/run-result.ts";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { unwritableReason } from "../output/unwritable-file.ts";

/** Throws if the result cannot be written there, before the agent starts. */
export function refuseUnwritable(file: string): void {
  const problem = unwritableReason(file);
  if (problem) throw new ExitError(2, `--result cannot be written to ${terminalSafe(file)}: ${problem}`);
}

/** Writes the result. Returns a message if that fails. */
export function writeResult(file: string, result: RunResult): string | undefined {
  try {
    writeFileSync(file, `${JSON.stringify(resultJson(result), null, 2)}\n`);
    return undefined;
  } catch (error) {
    return `The result could not be written to ${terminalSafe(file)}: ${terminalSafe((error as Error).message)}.`;
  }
}

/** The result in snake_case, without its events: they are printed, or are in the log. */
function resultJson({ runId, sessionId, events: _, ...result }: RunResult): object {
  const run_id = prefixed("run", runId);
  return { run_id, ...(sessionId !== undefined && { native_session_id: sessionId }), ...(snakeCase(result) as object) };
}
