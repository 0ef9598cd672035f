import { type Command, Option } from "commander";
import type { ExecuteOptions } from "../actions/execute.ts";
import type { FollowUpCommandOptions } from "../actions/follow-up.ts";
import type { TaskOptions } from "../actions/task.ts";
import type { NewTaskOptions } from "../actions/task-new.ts";
import type { WorkOptions } from "../actions/work.ts";
import { count } from "../flags/numbers.ts";
import { readFlag, repeated } from "../flags/read-flag.ts";
import { timer } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";
import { RUN, withData } from "./shared-arguments.ts";

const TASK = "the task: its id, a part of its id that matches only one task, or `last`";

/** The commands about tasks: what was asked, and the runs that are made of it. */
export function registerTasks(program: Command, io: Io): void {
  registerTask(program, io);
  registerRuns(program, io);
  withData(program.command("work"))
    .summary("perform queued runs without serving anything")
    .description(
      "Takes runs from the queue and performs them, as the server does, but without a web address. Ctrl-C stops.\n" +
        "Agents work in processes of their own and go on; commands are ended.\n" +
        "With OTEL_EXPORTER_OTLP_ENDPOINT, every run that ends in the log is exported to OpenTelemetry as a trace and metrics.",
    )
    .option("--workers <n>", "perform at most this many runs at the same time", count("--workers", 1, 1_000), 4)
    .option("--json", "print what is worked on as JSON")
    .action(async (options: WorkOptions) => (await import("../actions/work.ts")).work(options, io));
  withData(program.command("execute", { hidden: true }))
    .description("Takes one run from the queue and performs it. Workers start this for every run of an agent.")
    .option("--kinds <list>", "only runs of these kinds, separated by commas")
    .option("--run <id>", "only this run")
    .option("--launcher <id>", "the worker that starts this process")
    .action(async (options: ExecuteOptions) => (await import("../actions/execute.ts")).execute(options));
}

function registerTask(program: Command, io: Io): void {
  const task = program
    .command("task")
    .summary("create, list, show and delete tasks")
    .description("A task is what was asked. Each time it is started, it gets a run.");

  withData(task.command("new"))
    .summary("create a task")
    .description("Creates a task. It runs when it is started.")
    .argument("[words...]", "the kind (agent, agent_loop, shell, git, file), and what it does")
    .option("--spec <file>", "read the whole specification from this JSON file; - is standard input")
    .option("--title <text>", "a line for lists")
    .option("--priority <n>", "tasks with a greater number start first (default: 0)", Number)
    .option("--cwd <dir>", "the folder to work in, or to make a worktree or clone from", process.cwd())
    .addOption(
      new Option("--mode <mode>", "where to work (default: in_place)").choices(["in_place", "worktree", "clone"]),
    )
    .option("--base <commit>", "the commit or branch of a worktree or clone")
    .option("--share", "let other runs work in the same folder at the same time")
    .option("--timeout <span>", "stop the run after this long: 90 (seconds), 5m, 1h30m", timer("--timeout"))
    .option("--model <name>", "the model to use")
    .addOption(
      new Option("--approve <mode>", "what to do about actions that need permission").choices(["ask", "auto", "deny"]),
    )
    .option("--rule <line>", "a rule for this task, as in policy.rules; repeat it for further rules", repeated)
    .option("--env <pair>", "a variable to set: NAME=value, or NAME='$VARIABLE' for a secret; repeat it", repeated)
    .option("--content <text>", "what a file task writes; without it, standard input is read")
    .option("--command <line>", "the agent's program with its first arguments", (line) =>
      readFlag.words?.(line, "--command", undefined),
    )
    .option("--start", "start the task at once")
    .option("--json", "print the task, or with --start the run, as JSON")
    .action(async (words: string[], options: NewTaskOptions) =>
      (await import("../actions/task-new.ts")).newTask(words, options, io),
    );
  withData(task.command("ls"))
    .summary("list tasks")
    .description("Lists tasks, newest first.")
    .option("--limit <n>", "list at most this many tasks", count("--limit"), 20)
    .option("--json", "print a JSON line for each task")
    .action(async (options: TaskOptions & { limit: number }) =>
      (await import("../actions/task.ts")).listTasks(options, io),
    );
  withData(task.command("show"))
    .summary("show a task and its runs")
    .description("Shows what a task asks for, and its runs.")
    .argument("[task]", TASK, "last")
    .option("--json", "print the task's record as JSON")
    .action(async (typed: string, options: TaskOptions) =>
      (await import("../actions/task.ts")).showTask(typed, options, io),
    );
  withData(task.command("rm"))
    .summary("delete a task")
    .description("Deletes a task that has no active run. Its runs and their events stay.")
    .argument("<task>", TASK)
    .option("--json", "print the deleted task's id as JSON")
    .action(async (typed: string, options: TaskOptions) =>
      (await import("../actions/task.ts")).removeTask(typed, options, io),
    );
}

function registerRuns(program: Command, io: Io): void {
  const add = (name: string, summary: string, description: string): Command =>
    withData(program.command(name))
      .summary(summary)
      .description(description)
      .option("--reason <text>", "why, for the record")
      .option("--json", "print the new run as JSON");
  const follow = async () => await import("../actions/follow-up.ts");

  add(
    "start",
    "start a task",
    "Starts a task. A server's worker performs the run if a server runs; otherwise a process of its own does, which survives this terminal.",
  )
    .argument("<task>", TASK)
    .action(async (typed: string, options: FollowUpCommandOptions) => (await follow()).start(typed, options, io));
  add(
    "retry",
    "repeat a run",
    "Repeats a run in a new run of the same task: from its beginning, or from one of its turns on.",
  )
    .argument("[run]", RUN, "last")
    .option("--from-turn <n>", "repeat from this turn on, if the agent can go back", count("--from-turn", 1))
    .action(async (run: string, options: FollowUpCommandOptions) =>
      (await follow()).follow("retry", run, undefined, options, io),
    );
  add(
    "continue",
    "go on with a run's conversation",
    "Goes on with the conversation of a run, in a new run of the same task.",
  )
    .argument("<run>", RUN)
    .argument("<prompt>", "what the agent shall do now")
    .action(async (run: string, prompt: string, options: FollowUpCommandOptions) =>
      (await follow()).follow("continue", run, prompt, options, io),
    );
  add(
    "fork",
    "go on with a copy of a run's conversation",
    "Goes on with a copy of a run's conversation, in a task of its own. The original stays as it is.",
  )
    .argument("<run>", RUN)
    .argument("[prompt]", "what the agent shall do now")
    .action(async (run: string, prompt: string | undefined, options: FollowUpCommandOptions) =>
      (await follow()).follow("fork", run, prompt, options, io),
    );
}
