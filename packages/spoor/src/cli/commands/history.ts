import { runStates, runStatuses } from "@spoor/protocol/api/values";
import { type Command, Option } from "commander";
import type { EventsOptions } from "../actions/events.ts";
import type { ListOptions } from "../actions/ls.ts";
import type { ReplayOptions } from "../actions/replay.ts";
import type { ShowOptions } from "../actions/show.ts";
import type { TailOptions } from "../actions/tail.ts";
import { count } from "../flags/numbers.ts";
import { timer } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";
import { asOption, RUN, TASK, withData, withFilters, withView } from "./shared-arguments.ts";

/** The commands that read the log. */
export function registerHistory(program: Command, io: Io): void {
  withData(program.command("ls"))
    .summary("list recorded runs")
    .description(
      "Lists recorded runs, newest first: what each does, how old it is and how long it took, which files it changed, what " +
        "it cost (~ is an estimate), and what was asked. Subagents are counted with the run that started them.\n\n" +
        "A run that works counts as silent when its process lives but nothing was recorded for two minutes.",
    )
    .argument("[words...]", "only runs whose prompt or id contains all these words")
    .option("--agent <name>", "only runs of this agent")
    .option("--model <name>", "only runs of this model")
    .addOption(new Option("--state <state>", "only runs in this state").choices([...runStates]))
    .addOption(new Option("--status <status>", "only runs with this status").choices([...runStatuses]))
    .option("--path <folder>", "only runs in this folder or below it")
    .option("--task <id>", TASK)
    .option("--all", "also list the runs of subagents, and runs that `spoor renormalize` made")
    .option("--full", "print whole ids instead of their ends")
    .option("--before <run>", "only runs that are older than this one")
    .option("--limit <n>", "list at most this many runs", count("--limit"), 20)
    .option("--json", "print a JSON line for each run")
    .action(async (words: string[], options: ListOptions) =>
      (await import("../actions/ls.ts")).listRuns(words, options, io),
    );

  withData(program.command("show"))
    .summary("show a summary of a run")
    .description(
      "Shows a summary of a recorded run: what was asked, done and changed, where its time went, errors, the last message, and the cost.",
    )
    .argument("[run]", RUN, "last")
    .option("--output <n>", "print the whole output of this call, counted from 1", count("--output"))
    .option("--steps", "list the model calls with their cost, and the tool calls")
    .option("--json", "print the run's record and its whole view as JSON; with --steps, a JSON line for each step")
    .action(async (run: string, options: ShowOptions) =>
      (await import("../actions/show.ts")).showRun(run, options, io),
    );

  withView(withFilters(withData(program.command("tail"))))
    .summary("follow a run, or all of them")
    .description(
      "Follows one run from its start until it ends, or all runs from now on. Ctrl-C stops following; the run continues.\n" +
        "With several runs, each line begins with the end of the run's id and its agent.\n\n" +
        "With --as glasspane, each run is a pane: its state at the beginning and whenever it changes, and every event between.",
    )
    .argument("[run]", RUN)
    .option(
      "--stalled-after <span>",
      "with --as glasspane, how long a run may be silent before its pane is stalled: 90 (seconds), 5m, 4h (default: 4h)",
      timer("--stalled-after"),
    )
    .action(async (run: string | undefined, options: TailOptions) =>
      (await import("../actions/tail.ts")).tail(run, options, io),
    );

  withFilters(withData(program.command("events")))
    .summary("print recorded events")
    .description("Prints recorded events, of one run or of all runs, for example for an audit.")
    .argument("[run]", RUN)
    .option("--run <run>", "the run, instead of the argument")
    .option("--limit <n>", "print at most this many events", count("--limit"))
    .action(async (run: string | undefined, options: EventsOptions) =>
      (await import("../actions/events.ts")).printEvents(run, options, io),
    );

  withView(withData(program.command("replay")))
    .summary("show a run again at the pace it had")
    .description("Shows a recorded run again, at the pace it had. Pauses are cut to three seconds.")
    .argument("[run]", RUN, "last")
    .option("--speed <n>", "replay this many times faster; 0 does not wait at all", count("--speed", 0), 1)
    .option("--json", "print envelopes as JSON lines, exactly as they are stored")
    .option("--agent-events", "print AgentEvents as JSON lines instead of envelopes")
    .addOption(asOption())
    .action(async (run: string, options: ReplayOptions) =>
      (await import("../actions/replay.ts")).replay(run, options, io),
    );
}
