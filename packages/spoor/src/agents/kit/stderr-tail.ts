/** The last of what an agent wrote to standard error, for when it dies. The lines themselves remain logs. */
export function createStderrTail(length = 4_000): { add(line: string): undefined; text(): string } {
  let tail = "";
  return {
    add(line) {
      tail = `${tail}${line}\n`.slice(-length);
    },
    text: () => tail,
  };
}
