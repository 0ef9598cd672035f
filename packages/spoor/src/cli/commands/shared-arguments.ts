import { granularities } from "@spoor/protocol/api/values";
import { type Command, Option } from "commander";
import { lineLanguages } from "../../translators/line-languages.ts";
import { count } from "../flags/numbers.ts";
import { moment } from "../flags/time-spans.ts";

/** How runs are named, in every command. */
export const RUN = "the run: its id, a part at the beginning or end of its id that matches only one run, or `last`";

export const TASK = "only runs of this task: its id, a part of its id that matches only one task, or `last`";

export const withData = (command: Command): Command =>
  command.option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)");

/** Adds the flags of commands that select events. */
export function withFilters(command: Command): Command {
  return command
    .option(
      "--type <list>",
      "only events of these types, separated by commas; `tool.*` is a whole group. Example: --type tool.shell.exited,error.*",
    )
    .option("--agent <name>", "only runs of this agent")
    .option("--task <id>", TASK)
    .option(
      "--after <n>",
      "begin after this sequence of the run, or after this position of the log if no run is named; `now` skips everything recorded so far",
      (text) => (text === "now" ? ("now" as const) : count("--after", 0, undefined, "`now`")(text)),
    )
    .option(
      "--since <time>",
      "only events since this time: 10m, 1h30m or 7d ago, or a time such as 2026-11-16T09:00:00Z",
      moment("--since"),
    )
    .addOption(
      new Option(
        "--granularity <level>",
        "how detailed the events are. delta: all events. block: without the pieces of texts and outputs. turn: only runs, turns, prompts, whole texts, approvals, errors and gaps",
      )
        .choices([...granularities])
        .default("delta"),
    )
    .option("--json", "print envelopes as JSON lines, exactly as they are stored")
    .option("--agent-events", "print AgentEvents as JSON lines instead of envelopes")
    .addOption(asOption());
}

/** Prints runs in the language of another program. */
export const asOption = (): Option =>
  new Option(
    "--as <language>",
    `print JSON lines in another language: ${Object.entries(lineLanguages)
      .map(([name, { summary }]) => `${name} (${summary})`)
      .join(" or ")}`,
  ).choices(Object.keys(lineLanguages));

/** Adds the flags that say what is shown of a run. */
export const withView = (command: Command): Command =>
  command.addOption(outputOption()).option("--thinking", "also show what the agent thinks, if it is known");

export const outputOption = (): Option =>
  new Option("--output <what>", "how much of the output of commands is shown (default: its last lines)").choices([
    ...["all", "none"],
  ]);
