/** How a process ended that crashed. The code is -1 where there is none: a signal ended it, or it left without a word. */
export const endedWith = (exitCode: number): string =>
  exitCode === -1 ? "The agent ended before it was done." : `The agent ended with code ${exitCode}.`;
