import { createReadStream } from "node:fs";
import { createStreamChecker, type Finding, rules, type StreamFinding } from "@spoor/protocol";
import { idPrefixes, prefixed } from "@spoor/protocol/ids";
import { lines } from "../../process/lines.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface CheckOptions {
  json?: true;
  notes?: true;
  partial?: true;
  max: number;
}

export async function check(file: string, options: CheckOptions, io: Io): Promise<void> {
  const checker = createStreamChecker();
  const printer = createPrinter(file === "-" ? "stdin" : file, options, io);
  let line = 0;
  let events = 0;

  try {
    for await (const text of lines(file === "-" ? io.stdin : createReadStream(file))) {
      line += 1;
      if (text.trim() === "") continue;
      events += 1;
      for (const finding of checker.add(parse(text, line))) printer.print(finding, line);
    }
  } catch (error) {
    throw error instanceof ExitError ? error : new ExitError(2, `Cannot read ${file}: ${(error as Error).message}`);
  }
  if (events === 0) throw new ExitError(2, `${file === "-" ? "Standard input" : file} contains no events.`);
  if (!options.partial) for (const finding of checker.end()) printer.print(finding, undefined);
  printer.summarise(events, checker.runs);
  if (printer.violations > 0) throw new ExitError(1);
}

function parse(text: string, line: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ExitError(2, `Line ${line} is not JSON: ${terminalSafe((error as Error).message)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ExitError(2, `Line ${line} is not a JSON object, so it cannot be an event.`);
  }
  return value;
}

/** Prints findings at once, so that a long stream does not collect them in memory. */
function createPrinter(source: string, options: CheckOptions, io: Io) {
  let violations = 0;
  let notes = 0;
  let printed = 0;

  return {
    get violations() {
      return violations;
    },
    print({ run, finding }: StreamFinding, line: number | undefined): void {
      if (finding.kind === "note") notes += 1;
      else violations += 1;
      if ((finding.kind === "note" && !options.notes) || printed >= options.max) return;
      printed += 1;
      if (options.json) printJson(io.stdout, asJson(run, finding, line));
      else io.stdout.write(asText(source, finding, line));
    },
    summarise(events: number, runs: number): void {
      const hidden = violations + (options.notes ? notes : 0) - printed;
      if (options.json) {
        printJson(io.stdout, { kind: "summary", events, runs, violations, notes, hidden });
        return;
      }
      if (hidden > 0) io.stdout.write(`… and ${hidden} more; --max <n> shows more.\n`);
      const noted = notes === 0 ? "" : `, ${plural(notes, "note")}${options.notes ? "" : " (--notes shows them)"}`;
      io.stdout.write(
        `${plural(events, "event")} of ${plural(runs, "run")}: ${plural(violations, "violation")}${noted}.\n`,
      );
    },
  };
}

function asText(source: string, finding: Finding, line: number | undefined): string {
  const place = `${terminalSafe(source)}:${line ?? "end"}`;
  const message = terminalSafe(finding.message);
  if (finding.kind === "note") return `${place}: note: ${message}\n`;
  return `${place}: ${finding.rule} (${rules[finding.rule].section}): ${message}\n`;
}

function asJson(run: string, finding: Finding, line: number | undefined): object {
  const section = finding.kind === "violation" ? { section: rules[finding.rule].section } : {};
  // AgentEvents carry the id of their run without a prefix.
  const run_id = run === "" ? null : run.startsWith(idPrefixes.run) ? run : prefixed("run", run);
  return { ...finding, ...section, run_id, line: line ?? null };
}
