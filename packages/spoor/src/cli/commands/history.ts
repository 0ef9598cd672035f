import { type Command, Option } from "commander";
import type { EventsOptions } from "../actions/events.ts";
import type { ListOptions } from "../actions/ls.ts";
import type { ReplayOptions } from "../actions/replay.ts";
import type { ShowOptions } from "../actions/show.ts";
import type { TailOptions } from "../actions/tail.ts";
import type { Io } from "../io.ts";
import { count } from "./numbers.ts";

const RUN = "which run: its id, the end of it, or `last`";
const TYPES = "only these types, with commas between; `tool.*` is a whole group";

/** The commands that read the log. */
export function registerHistory(program: Command, io: Io): void {
  const withData = (command: Command) =>
    command.option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)");

  withData(program.command("ls"))
    .summary("list recorded runs")
    .description("Lists recorded runs, newest first.")
    .option("--agent <name>", "only runs of this agent")
    .addOption(new Option("--status <status>", "only runs that stand like this").choices([...statuses]))
    .option("--task <id>", "only runs of this task")
    .option("--all", "also runs that `spoor renormalize` made")
    .option("--limit <n>", "at most this many", count("--limit"), 20)
    .option("--json", "print JSON lines")
    .action(async (options: ListOptions) => (await import("../actions/ls.ts")).listRuns(options, io));

  withData(program.command("show"))
    .summary("show what came of a run")
    .description("Shows what came of a recorded run: what was asked, done, changed and said, and what it cost.")
    .argument("[run]", RUN, "last")
    .option("--json", "print the run and its view as JSON")
    .action(async (run: string, options: ShowOptions) =>
      (await import("../actions/show.ts")).showRun(run, options, io),
    );

  withData(program.command("tail"))
    .summary("follow a run, or all of them")
    .description(
      "Follows one run from its start until it ends, or everything from now on. Ctrl-C stops following, not the run.",
    )
    .argument("[run]", RUN)
    .option("--type <list>", TYPES)
    .option("--agent <name>", "only runs of this agent")
    .option("--task <id>", "only runs of this task")
    .option("--after <n>", "begin after this sequence of the run, or this position of the log", count("--after", 0))
    .option("--json", "print envelopes as JSON lines, exactly as they are stored")
    .action(async (run: string | undefined, options: TailOptions) =>
      (await import("../actions/tail.ts")).tail(run, options, io),
    );

  withData(program.command("events"))
    .summary("print recorded events")
    .description(
      "Prints recorded events, of one run or of all: the audit query.\n" +
        "What did the agent run? `spoor events --run last --type tool.shell.command,tool.shell.exited`",
    )
    .option("--run <run>", RUN)
    .option("--type <list>", TYPES)
    .option("--agent <name>", "only runs of this agent")
    .option("--task <id>", "only runs of this task")
    .option("--after <n>", "only after this sequence of the run, or this position of the log", count("--after", 0))
    .option("--limit <n>", "at most this many", count("--limit"))
    .option("--json", "print envelopes as JSON lines, exactly as they are stored")
    .action(async (options: EventsOptions) => (await import("../actions/events.ts")).printEvents(options, io));

  withData(program.command("replay"))
    .summary("show a run again as it happened")
    .description("Shows a recorded run again, at the pace it had.")
    .argument("[run]", RUN, "last")
    .option("--speed <n>", "times as fast; 0 does not wait at all", count("--speed", 0), 1)
    .option("--json", "print AgentEvents as JSON lines")
    .action(async (run: string, options: ReplayOptions) =>
      (await import("../actions/replay.ts")).replay(run, options, io),
    );
}

const statuses = ["queued", "awaiting_approval", "running", "completed", "failed", "cancelled"];
