import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { prefixed } from "@spoor/protocol/ids";
import type { RunResult } from "../../run/run-result.ts";
import { ExitError } from "../exit-error.ts";
import { snakeCase } from "../output/snake-case.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Throws if the result cannot be written there, before the agent starts. */
export function refuseUnwritable(file: string): void {
  const problem = problemOf(file);
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

function problemOf(file: string): string | undefined {
  const folder = path.dirname(path.resolve(file));
  const kind = kindOf(file);
  if (kind === "folder") return "it is a directory. Name a file.";
  if (kind === "file")
    return isWritable(file) ? undefined : "it is not writable. Change its permissions, or name another file.";
  if (kindOf(folder) !== "folder")
    return `there is no directory ${terminalSafe(folder)}. Create it, or name another file.`;
  return isWritable(folder) ? undefined : `the directory ${terminalSafe(folder)} is not writable. Name another file.`;
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
