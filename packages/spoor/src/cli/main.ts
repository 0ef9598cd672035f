import type { Writable } from "node:stream";
import { CommanderError } from "commander";
import { ExitError } from "./exit-error.ts";
import type { Io } from "./io.ts";
import { terminalSafeLines } from "./output/terminal-safe.ts";
import { commands, createProgram } from "./program.ts";

/**
 * Runs the command line `argv` (without node and script) and gives its exit code: 0 done, 1 the command says no,
 * 2 it was called wrongly, or the code that belongs to a SpoorError. Anything else that goes wrong rejects.
 */
export async function main(argv: string[], io: Io, available = commands): Promise<number> {
  const program = createProgram(io, available, argv[0]);
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof ExitError) {
      if (error.message !== "") io.stderr.write(`${terminalSafeLines(error.message)}\n`);
      return error.exitCode;
    }
    const { SpoorError } = await import("../failures/errors.ts");
    if (error instanceof SpoorError) {
      const [{ errorTable }, { explainError }] = await Promise.all([
        import("../failures/error-table.ts"),
        import("./flags/explain-error.ts"),
      ]);
      io.stderr.write(`${terminalSafeLines(explainError(error, argv))}\n`);
      return errorTable[error.code].exitCode;
    }
    // Commander has printed its message by now; help and version come here with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** The entry of the `spoor` program. */
export async function runProcess(): Promise<void> {
  // A reader that has seen enough (`spoor … | head -1`) is no fault of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  // Nobody can be told that nobody reads what goes wrong; the command still ends as it would have.
  process.stderr.on("error", () => {});
  process.exitCode = await main(process.argv.slice(2), process);
  await Promise.all([written(process.stdout), written(process.stderr)]);
  // All is done; taking its memory apart would only keep the caller waiting.
  process.exit();
}

/** Resolves when what was given to a stream has left us. */
const written = (stream: Writable): Promise<void> => new Promise((resolve) => stream.write("", () => resolve()));
