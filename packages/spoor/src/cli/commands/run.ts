import { type Command, Option } from "commander";
import { unit } from "../flags/numbers.ts";
import { repeated } from "../flags/read-flag.ts";
import { addRunFlags } from "../flags/run-flags.ts";
import { timer } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";
import type { RunCommandOptions } from "../running/run-command-options.ts";
import { outputOption } from "./shared-arguments.ts";

/** `spoor run`. The flags that set options of the run come from the table of options; the others are defined here. */
export function registerRun(program: Command, io: Io): void {
  const run = program
    .command("run")
    .summary("run an agent and watch it")
    .description(DESCRIPTION)
    .argument("<agent>", "the agent to run; `spoor agents` lists them, `loop` is Spoor's own")
    .argument("[prompt]", "the prompt for the agent; without it, or with -, the prompt is read from standard input");
  addRunFlags(run, (option) => beforeOutput.has(option));
  run
    .option(
      "--queue <prompt>",
      "a further prompt, sent when the one before is done; repeat it for further prompts",
      repeated,
    )
    .option("--prompt-file <file>", "read the prompt from this file; - is standard input")
    .addOption(outputOption())
    .option("--thinking", "also show what the agent thinks")
    .option("--json", "print only the stored envelopes, as JSON lines")
    .option("--agent-events", "print only AgentEvents, as JSON lines")
    .option("--result <file>", "write the result to this file as JSON");
  addRunFlags(run, (option) => !beforeOutput.has(option));
  run
    .option("--detach", "do not wait: let a server or a process of its own perform the run, and print its id")
    .option("--no-record", "do not record the run")
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .option(
      "--task <id>",
      "record the run under this task: its id, a part of its id that matches only one task, or `last`",
    )
    .option("--no-tape", "record events, but not the agent's raw lines")
    .option(
      "--lock-wait <span>",
      "wait this long if another process has locked the log (default: 5m)",
      timer("--lock-wait"),
    )
    .addOption(
      new Option("--if-unrecorded <what>", "what to do when the run cannot be recorded any more")
        .choices(["stop", "continue"])
        .default("stop"),
    )
    .option("--record-thinking", "also record what the agent thinks")
    .option("--record-tool-input", "also record the input of tool calls while the model writes it")
    .option(
      "--max-recorded <size>",
      "record at most this much of the run, such as 500m or 2g (default: 1g)",
      recordedSize,
    )
    .option("--debug", "add the agent's own line to each event, as `raw`")
    .action(async (agent: string, prompt: string | undefined, options: RunCommandOptions) => {
      if (options.detach) return (await import("../actions/detach.ts")).runDetached(agent, prompt, options, io);
      const { runAgent } = await import("../actions/run.ts");
      await runAgent(agent, prompt, await withFullIds(agent, options), io);
    });
}

const DESCRIPTION =
  "Runs an agent on a prompt and shows what it does. Ctrl-C interrupts the agent, a second Ctrl-C ends it.\n\n" +
  "Options that are not given here are taken from a profile (--profile), from `.spoor/config.json` of the project or " +
  "from `~/.spoor/config.json`, in this order.\n\n" +
  "The agent gets your environment as it would from a shell, without Spoor's own variables and without those by which " +
  "an outer agent marks the commands it runs (CLAUDECODE and the like). The values of variables whose names look like " +
  "those of secrets are never recorded. With --clean-env the agent gets only the variables that programs need to run, " +
  "those that this agent is known to need, and those that --env names.\n\n" +
  "Recorded events are printed once they are durable: everything you have seen is in the log, even if this command is " +
  "killed.\n\n" +
  "With OTEL_EXPORTER_OTLP_ENDPOINT, the run is exported to OpenTelemetry as a trace and metrics when it is over.\n\n" +
  "Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 no such agent, 4 not installed, 5 not logged in, 6 not supported by the " +
  "agent, 7 bad configuration, 8 no such session, 9 no such profile, 10 a plugin failed, 11 timed out, 12 crashed, 13 aborted, " +
  "14 rate limited, 15 context full, 16 out of turns, 17 refused because nobody could be asked, " +
  "18 budget spent, 19 approval rejected, 20 approval timed out, 21 the model's provider failed, 130 interrupted.";

/** Options whose flags `--help` lists before those about output. */
const beforeOutput: ReadonlySet<string> = new Set(["profile", "attachments"]);

/** Looks up the full ids, and loads the code for it only if an id was given. */
async function withFullIds(agent: string, options: RunCommandOptions): Promise<RunCommandOptions> {
  const { task, resume, fork } = options;
  if (task === undefined && resume === undefined && fork === undefined) return options;
  return (await import("../running/full-ids.ts")).withFullIds(agent, options);
}

const recordedSize = unit("--max-recorded", { k: 1024, m: 1024 ** 2, g: 1024 ** 3 });
