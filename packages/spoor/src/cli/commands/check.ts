import type { Command } from "commander";
import type { CheckOptions } from "../actions/check.ts";
import { count } from "../flags/numbers.ts";
import type { Io } from "../io.ts";

export function registerCheck(program: Command, io: Io): void {
  program
    .command("check")
    .summary("check events against the contract")
    .description(
      "Checks JSON lines of AgentEvents or envelopes, one or many runs mixed, against the ordering contract.\n" +
        "Exit code 0: clean. 1: violations. 2: unreadable input.",
    )
    .argument("[file]", "the file to read; - is standard input", "-")
    .option("--json", "print JSON lines: a line per finding, then a summary")
    .option("--notes", "also print notes about what is unknown but allowed")
    .option("--partial", "do not report what is missing at the end, because the runs have not ended")
    .option("--max <n>", "print at most this many findings", count("--max"), 100)
    .action(async (file: string, options: CheckOptions) => {
      const { check } = await import("../actions/check.ts");
      await check(file, options, io);
    });
}
