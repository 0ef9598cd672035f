import { type Command, Option } from "commander";
import { fileFormats } from "../../translators/file-formats.ts";
import type { CompactOptions } from "../actions/compact.ts";
import type { ExportOptions } from "../actions/export.ts";
import type { PruneOptions } from "../actions/prune.ts";
import type { RenormalizeCommandOptions } from "../actions/renormalize.ts";
import type { RepairCommandOptions } from "../actions/repair.ts";
import type { VerifyOptions } from "../actions/verify.ts";
import { count, unit } from "../flags/numbers.ts";
import { duration } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";
import { RUN, withData } from "./shared-arguments.ts";

/** The commands that maintain the log. */
export function registerMaintenance(program: Command, io: Io): void {
  withData(program.command("export"))
    .summary("write a run to a file, for verifying, reading or other tools")
    .description(
      "Writes a run to one file. A bundle holds its envelopes as they are stored, and the hash chain that verifies them. " +
        "The other formats are for people and for other tools:\n" +
        Object.entries(fileFormats)
          .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
          .join("\n"),
    )
    .argument("[run]", RUN, "last")
    .addOption(
      new Option("-f, --format <name>", "the format of the file")
        .choices(["bundle", ...Object.keys(fileFormats)])
        .default("bundle"),
    )
    .option(
      "-o, --out <file>",
      "the file; - is standard output. A bundle is compressed if the name ends in .gz (default: <run>.spoor.gz, or the run with the format's ending)",
    )
    .option("--force", "replace the file if it exists")
    .option("--json", "print the file, the run and the number of events as JSON")
    .action(async (run: string, options: ExportOptions) =>
      (await import("../actions/export.ts")).exportRun(run, options, io),
    );

  withData(program.command("verify"))
    .summary("check that no recorded event was changed or lost")
    .description(
      "Computes the hash chain of one run or of all runs again and compares it. Exit code 0: no event was changed or lost. 1: some were.",
    )
    .argument("[run]", RUN)
    .option("--file <bundle>", "check an exported file instead of the log; - is standard input")
    .option("--json", "print a JSON line for each run")
    .action(async (run: string | undefined, options: VerifyOptions) =>
      (await import("../actions/verify.ts")).verify(run, options, io),
    );

  withData(program.command("prune"))
    .summary("remove old events by age, count or size")
    .description(
      "Removes the oldest events of runs, and the raw lines of runs that ended. The end of each run stays, and a gap event says what was removed.",
    )
    .option(
      "--older-than <age>",
      "remove events of runs that ended longer ago than this, such as 30d, 12h or 1h30m",
      duration("--older-than"),
    )
    .option("--keep-runs <n>", "keep the events of only this many of the newest runs", count("--keep-runs"))
    .option("--keep-events <n>", "keep only this many of the newest events of each run", count("--keep-events"))
    .option(
      "--max-size <size>",
      "remove the oldest events until all events take at most this much space, such as 500m or 2g",
      size,
    )
    .option("--dry-run", "only show what would be removed")
    .option("--json", "print a JSON line for each run")
    .action(async (options: PruneOptions) => (await import("../actions/prune.ts")).prune(options, io));

  withData(program.command("compact"))
    .summary("merge small chunks, compress old runs")
    .description(
      "Merges chunks that were committed in small pieces, and compresses runs that ended long ago. Readers get the same bytes as before.",
    )
    .option(
      "--older-than <age>",
      "compress runs that ended longer ago than this, such as 7d or 12h",
      duration("--older-than"),
    )
    .option("--shrink", "give the space of pruned events back to the disk; runs that are being recorded wait meanwhile")
    .option("--json", "print the number of chunks before and after as JSON")
    .action(async (options: CompactOptions) => (await import("../actions/compact.ts")).compact(options, io));

  withData(program.command("repair"))
    .summary("make lists, approvals and the queue again from events")
    .description(
      "Makes everything that follows from events again (facts of runs, approvals, patches, the queue, held workspaces) and\n" +
        "replaces what differs. Changes of files that were cut off are finished first. Nobody may perform a run meanwhile.\n" +
        "Exit code 1 with --check: something differs.",
    )
    .option("--check", "only compare, and print what differs")
    .option("--json", "print the result as JSON")
    .action(async (options: RepairCommandOptions) => (await import("../actions/repair.ts")).repairLog(options, io));

  withData(program.command("renormalize"))
    .summary("read a run's raw lines again with the current adapters")
    .description("Reads the stored raw lines of a run again, into a new run of the same task, and shows what changed.")
    .argument("[run]", RUN, "last")
    .option("--json", "print what changed as JSON")
    .action(async (run: string, options: RenormalizeCommandOptions) =>
      (await import("../actions/renormalize.ts")).renormalizeRun(run, options, io),
    );
}

const size = unit("--max-size", { k: 1024, m: 1024 ** 2, g: 1024 ** 3 });
