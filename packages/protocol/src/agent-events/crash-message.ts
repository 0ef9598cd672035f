/**
 * A crash in a sentence. Where there is no exit code (-1: it never started, a signal ended it, or it left without a
 * word) its last words are the reason, and for a program that never started those are ours.
 */
export function crashMessage(exitCode: number, stderr: string): string {
  if (exitCode !== -1) return `The agent's process ended with code ${exitCode}.`;
  const lastWords = stderr.trim().split("\n").at(-1);
  return lastWords ? `The agent's process failed: ${lastWords}` : "The agent's process ended before it was done.";
}
