import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { prefixed } from "@spoor/protocol/ids";
import type { RunResult } from "../../run/run-result.ts";
import { ExitError } from "../exit-error.ts";
import { snakeCase } from "../output/snake-case.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Refuses a place where no result can be written, before an agent has worked for it. */
export function refuseUnwritable(file: string): void {
  const problem = problemOf(file);
  if (problem) throw new ExitError(2, `--result cannot be written to ${terminalSafe(file)}: ${problem}`);
}

/** Writes the result. Says why it could not. */
export function writeResult(file: string, result: RunResult): string | undefined {
  try {
    writeFileSync(file, `${JSON.stringify(resultJson(result), null, 2)}\n`);
    return undefined;
  } catch (error) {
    return `The result could not be written to ${terminalSafe(file)}: ${terminalSafe((error as Error).message)}.`;
  }
}

/** In the form of everything the command line prints. Events go to standard output, or into the log. */
function resultJson({ runId, sessionId, events: _, ...result }: RunResult): object {
  const run_id = prefixed("run", runId);
  return { run_id, ...(sessionId !== undefined && { native_session_id: sessionId }), ...(snakeCase(result) as object) };
}

function problemOf(file: string): string | undefined {
  const folder = path.dirname(path.resolve(file));
  const kind = kindOf(file);
  if (kind === "folder") return "it is a directory. Name a file.";
  if (kind === "file")
    return isWritable(file) ? undefined : "it may not be written. Check its rights, or name another.";
  if (kindOf(folder) !== "folder") return `there is no directory ${terminalSafe(folder)}. Create it, or name another.`;
  return isWritable(folder) ? undefined : `nothing may be written in ${terminalSafe(folder)}. Name another place.`;
}

function kindOf(place: string): "nothing" | "folder" | "file" {
  try {
    return statSync(place).isDirectory() ? "folder" : "file";
  } catch {
    return "nothing";
  }
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
