import type { Writable } from "node:stream";
import { type Command, CommanderError } from "commander";
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
  let performed: Command | undefined;
  program.hook("preAction", (_, command) => {
    performed = command;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof ExitError) {
      if (error.message !== "") await explain(error.message, io);
      return error.exitCode;
    }
    const { SpoorError } = await import("../failures/errors.ts");
    if (error instanceof SpoorError) {
      const [{ errorTable }, { explainError }] = await Promise.all([
        import("../failures/error-table.ts"),
        import("./flags/explain-error.ts"),
      ]);
      await explain(explainError(error, argv), io);
      return errorTable[error.code].exitCode;
    }
    // Commander has already printed its message. It also throws for --help and --version, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    throw error;
  } finally {
    if (performed && isExporting()) {
      await (await import("./running/export-runs.ts")).exportAtEnd(performed.name(), performed.opts().data, io);
    }
  }
}

/** Whether the variables of OpenTelemetry may ask for an export. Without them, nothing more is loaded. */
const isExporting = (): boolean => Object.keys(process.env).some((name) => name.startsWith("OTEL_EXPORTER_OTLP"));

/** Says why a command failed. On a terminal the text is wrapped at words. */
async function explain(text: string, io: Io): Promise<void> {
  if ((io.stderr as { isTTY?: boolean }).isTTY !== true) {
    io.stderr.write(`${terminalSafeLines(text)}\n`);
    return;
  }
  const [{ Display }, { createScreen }] = await Promise.all([
    import("./output/display.ts"),
    import("./output/screen.ts"),
  ]);
  const screen = createScreen(new Display(io), "stderr");
  const [, mark, code, rest] = /^(✗) ([A-Z_]+): ([\s\S]*)$/.exec(text) ?? [];
  if (mark === undefined || code === undefined) screen.paragraph(text);
  else {
    screen.line([
      { text: mark, role: "red" },
      { text: code, role: "strong" },
    ]);
    screen.paragraph(rest ?? "");
  }
}

/** The entry of the `spoor` program. */
export async function runProcess(): Promise<void> {
  // The reader has closed the pipe, as in `spoor … | head -1`: that is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`Cannot write to standard output: ${error.message}\n`);
    process.exit(1);
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
