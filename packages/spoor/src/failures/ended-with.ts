/** How a process ended that crashed. The code is -1 where there is none: it never started, or a signal ended it. */
export function endedWith(exitCode: number): string {
  if (exitCode === 0) return CUT_SHORT;
  return exitCode === -1 ? "The agent ended before it was done." : `The agent ended with code ${exitCode}.`;
}

const CUT_SHORT =
  "The agent's output was cut: the agent exited with code 0 before it said that it was done. Part of its work may be missing; run it again.";
