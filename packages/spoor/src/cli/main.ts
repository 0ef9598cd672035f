import type { Writable } from "node:stream";
import { CommanderError } from "commander";
import { ExitError } from "./exit-error.ts";
import type { Io } from "./io.ts";
import { terminalSafeLines } from "./output/terminal-safe.ts";
import { commands, createProgram } from "./program.ts";

/**
 * Runs the command line `argv` (without node and script) and returns its exit code: 0 for success, 1 if the command
 * failed, 2 for wrong arguments, or the code of a SpoorError. Any other error rejects.
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
    // Commander has already printed its message. It also throws for --help and --version, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  }
}

/** The entry of the `spoor` program. */
export async function runProcess(): Promise<void> {
  // The reader has closed the pipe, as in `spoor … | head -1`: that is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  // If standard error is closed, there is nowhere to report that; the command ends as usual.
  process.stderr.on("error", () => {});
  process.exitCode = await main(process.argv.slice(2), process);
  await Promise.all([written(process.stdout), written(process.stderr)]);
  // Everything is written. Exit now, because freeing the memory would only delay the caller.
  process.exit();
}

/** Resolves when the stream has passed everything on to the system. */
const written = (stream: Writable): Promise<void> => new Promise((resolve) => stream.write("", () => resolve()));
