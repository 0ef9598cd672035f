import { runStates, runStatuses } from "@spoor/protocol/api/values";
import { type Command, Option } from "commander";
import type { EventsOptions } from "../actions/events.ts";
import type { ListOptions } from "../actions/ls.ts";
import type { ReplayOptions } from "../actions/replay.ts";
import type { ShowOptions } from "../actions/show.ts";
import type { TailOptions } from "../actions/tail.ts";
import { count } from "../flags/numbers.ts";
import type { Io } from "../io.ts";
import { RUN, TASK, withData, withFilters } from "./shared-arguments.ts";

/** The commands that read the log. */
export function registerHistory(program: Command, io: Io): void {
  withData(program.command("ls"))
    .summary("list recorded runs")
    .description(
      "Lists recorded runs, newest first: what each does, when it was last active, which files it changed, what it cost " +
        "(~ is an estimate), what was asked, and what it does now.\n\n" +
        "A run that works counts as stalled when its process lives but nothing was recorded for two minutes.\n\n" +
        "Find runs by words of their prompt: `spoor ls fix login`",
    )
    .argument("[words...]", "only runs whose prompt or id contains all these words")
    .option("--agent <name>", "only runs of this agent")
    .option("--model <name>", "only runs of this model")
    .addOption(new Option("--state <state>", "only runs in this state").choices([...runStates]))
    .addOption(new Option("--status <status>", "only runs with this status").choices([...runStatuses]))
    .option("--path <folder>", "only runs in this folder or below it")
    .option("--task <id>", TASK)
    .option("--all", "also list runs that `spoor renormalize` made")
    .option("--limit <n>", "list at most this many runs", count("--limit"), 20)
    .option("--json", "print a JSON line for each run")
    .action(async (words: string[], options: ListOptions) =>
      (await import("../actions/ls.ts")).listRuns(words, options, io),
    );

  withData(program.command("show"))
    .summary("show a summary of a run")
    .description(
      "Shows a summary of a recorded run: prompts, actions, changed files, errors, the last message, and the cost.",
    )
    .argument("[run]", RUN, "last")
    .option("--steps", "list the model calls with their cost, and the tool calls")
    .option("--json", "print the run's record and its whole view as JSON; with --steps, a JSON line for each step")
    .action(async (run: string, options: ShowOptions) =>
      (await import("../actions/show.ts")).showRun(run, options, io),
    );

  withFilters(withData(program.command("tail")))
    .summary("follow a run, or all of them")
    .description(
      "Follows one run from its start until it ends, or all runs from now on. Ctrl-C stops following; the run continues.\n" +
        "With several runs, each line begins with the end of the run's id and its agent.\n\n" +
        "Show the last ten minutes and what follows: `spoor tail --since 10m`",
    )
    .argument("[run]", RUN)
    .action(async (run: string | undefined, options: TailOptions) =>
      (await import("../actions/tail.ts")).tail(run, options, io),
    );

  withFilters(withData(program.command("events")))
    .summary("print recorded events")
    .description(
      "Prints recorded events, of one run or of all runs, for example for an audit.\n\n" +
        "Which commands did the agent run? `spoor events last --type tool.shell.command,tool.shell.exited`",
    )
    .argument("[run]", RUN)
    .option("--run <run>", "the run, instead of the argument")
    .option("--limit <n>", "print at most this many events", count("--limit"))
    .action(async (run: string | undefined, options: EventsOptions) =>
      (await import("../actions/events.ts")).printEvents(run, options, io),
    );

  withData(program.command("replay"))
    .summary("show a run again at the pace it had")
    .description("Shows a recorded run again, at the pace it had. Pauses are cut to three seconds.")
    .argument("[run]", RUN, "last")
    .option("--speed <n>", "replay this many times faster; 0 does not wait at all", count("--speed", 0), 1)
    .option("--json", "print envelopes as JSON lines, exactly as they are stored")
    .option("--agent-events", "print AgentEvents as JSON lines instead of envelopes")
    .action(async (run: string, options: ReplayOptions) =>
      (await import("../actions/replay.ts")).replay(run, options, io),
    );
}
