import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Reads the prompt from the argument, from a file, or from standard input if it is `-` or absent. */
export async function readPrompt(
  argument: string | undefined,
  file: string | undefined,
  stdin: Readable,
): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw new ExitError(2, "There are two prompts: the argument and --prompt-file. Leave one out.");
  }
  const given = argument ?? file ?? "-";
  if (given === "-") return readAll(stdin);
  return file === undefined ? given : readPromptFile(file);
}

function readPromptFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ExitError(
      2,
      `--prompt-file cannot read ${terminalSafe(file)}: ${terminalSafe((error as Error).message)}`,
    );
  }
}

async function readAll(stream: Readable): Promise<string> {
  const { text } = await import("node:stream/consumers");
  return text(stream);
}
