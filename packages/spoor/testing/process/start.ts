import { onTestFinished } from "vitest";
import type { OutputLine } from "../../src/process/process-output.ts";
import { type ProcessEnd, type ProcessHandle, type ProcessOptions, spawnProcess } from "../../src/process/spawn.ts";
import { program } from "./program.ts";

/** Starts a fake program and kills it at the end of the test. */
export function start(name: string, args: string[] = [], options: Partial<ProcessOptions> = {}): ProcessHandle {
  const handle = spawnProcess({
    command: process.execPath,
    args: [program(name), ...args],
    env: {},
    cwd: import.meta.dirname,
    stdin: "pipe",
    ...options,
  });
  onTestFinished(() => {
    handle.kill();
  });
  return handle;
}

export interface Played {
  end: ProcessEnd;
  entries: OutputLine[];
  stdout: string[];
  stderr: string[];
}

/** Reads everything a process writes until it exits. */
export async function play(handle: ProcessHandle): Promise<Played> {
  const entries: OutputLine[] = [];
  for await (const entry of handle.output) entries.push(entry);
  const of = (source: string) => entries.filter((entry) => entry.source === source).map((entry) => entry.line);
  return { end: await handle.exited, entries, stdout: of("stdout"), stderr: of("stderr") };
}

/** Reads the next line that a process writes. */
export async function nextLine(handle: ProcessHandle): Promise<string | undefined> {
  const { value } = await handle.output.next();
  return value?.line;
}
