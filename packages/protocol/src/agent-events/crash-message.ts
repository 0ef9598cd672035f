/**
 * A crash in a sentence. Where there is no exit code (-1: the process never started, or a signal ended it) its last words
 * are the reason, and for a program that never started those are ours. An exit code of 0 means that the output was cut.
 */
export function crashMessage(exitCode: number, stderr: string): string {
  if (exitCode === 0) return CUT_SHORT;
  if (exitCode !== -1) return `The agent's process ended with code ${exitCode}.`;
  const lastWords = stderr.trim().split("\n").at(-1);
  return lastWords ? `The agent's process failed: ${lastWords}` : "The agent's process ended before it was done.";
}

/** The process left as if all were well, and never said that it was done. */
const CUT_SHORT =
  "The agent's output was cut: its process exited with code 0 before it said that it was done. Part of its work may be missing; run it again.";
