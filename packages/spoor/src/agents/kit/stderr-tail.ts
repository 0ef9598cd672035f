/** Keeps the end of an agent's standard error for the report of a crash. The lines also remain logs. */
export function createStderrTail(length = 4_000): { add(line: string): undefined; text(): string } {
  let tail = "";
  return {
    add(line) {
      tail = `${tail}${line}\n`.slice(-length);
    },
    text: () => tail,
  };
}
