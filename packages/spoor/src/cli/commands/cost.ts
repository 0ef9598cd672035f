import { usageGroups } from "@spoor/protocol/api/values";
import { type Command, Option } from "commander";
import type { CostOptions } from "../actions/cost.ts";
import { groups } from "../flags/groups.ts";
import { count } from "../flags/numbers.ts";
import { moment } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";
import { RUN, TASK, withData } from "./shared-arguments.ts";

/** The command that tells what runs have cost. */
export function registerCost(program: Command, io: Io): void {
  withData(program.command("cost"))
    .summary("show what runs have cost")
    .description(
      "Shows what a run has cost by turn, with its task and its conversation; or, without a run, what all runs have cost.\n" +
        "Each run counts once. Costs that agents do not report are estimated from tokens by list price, and marked so.",
    )
    .argument("[run]", RUN)
    .addOption(
      new Option("--by <groups>", `group runs by some of ${usageGroups.join(", ")} (default: day)`).argParser(
        groups("--by"),
      ),
    )
    .option("--from <time>", "only runs created since then: a time span such as 7d, or a time", moment("--from"))
    .option("--to <time>", "only runs created before: a time span such as 1d, or a time", moment("--to"))
    .option("--days <n>", "the last days by agent, today included", count("--days"))
    .option("--agent <name>", "only runs of this agent")
    .option("--model <name>", "only runs with this model")
    .option("--task <id>", TASK)
    .option("--json", "print JSON, as the server answers")
    .action(async (run: string | undefined, options: CostOptions) =>
      (await import("../actions/cost.ts")).showCost(run, options, io),
    );
}
