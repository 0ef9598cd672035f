import { type Command, Option } from "commander";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import type { RunCommandOptions } from "../running/options.ts";
import { count, unit } from "./numbers.ts";
import { seconds } from "./times.ts";

export function registerRun(program: Command, io: Io): void {
  program
    .command("run")
    .summary("run an agent and watch it")
    .description(
      "Runs an agent on a prompt and shows what it does. Ctrl-C interrupts the agent, a second Ctrl-C ends it.\n\n" +
        "Options that are not given here are taken from a profile (--profile), from `.spoor/config.json` of the project or " +
        "from `~/.spoor/config.json`, in this order.\n\n" +
        "The agent gets your environment as from a shell, less Spoor's own variables and those by which an outer agent " +
        "marks the commands it runs (CLAUDECODE and the like). Values under names like those of secrets are never " +
        "recorded. With --clean-env it gets what programs need to run, what it is known to need itself, and what --env " +
        "names.\n\n" +
        "What is recorded is printed once it is durable: whatever you have seen is in the log, even if this is killed.\n\n" +
        "Exit codes: 0 done, 1 failed, 2 called wrongly, 3 no such agent, 4 not installed, 5 not logged in, 6 cannot be asked of it, " +
        "7 bad configuration, 8 no such session, 9 no such profile, 11 timed out, 12 crashed, 13 aborted, " +
        "14 rate limited, 15 context full, 16 out of turns, 17 refused because nobody could be asked, 130 interrupted.",
    )
    .argument("<agent>", "the agent to run; `spoor agents` lists them")
    .argument("[prompt]", "what it is to do; - or nothing reads it from standard input")
    .option("--profile <name>", "take options that are not given here from this profile")
    .option("--attach <file>", "a file to give the agent with the prompt; repeat it for further files", several)
    .option(
      "--queue <prompt>",
      "a further prompt, sent when the one before is done; repeat it for further prompts",
      several,
    )
    .option("--prompt-file <file>", "read the prompt from this file; - is standard input")
    .option("--json", "print the envelopes as they are stored, as JSON lines and nothing else")
    .option("--agent-events", "print AgentEvents as JSON lines and nothing else")
    .option("--result <file>", "write the result to this file as JSON")
    .option("--cwd <dir>", "the directory the agent works in", process.cwd())
    .option("--model <name>", "the model to use")
    .option("--effort <level>", "how much the agent thinks: low, medium, high or max")
    .option("--system <text>", "text to add to the agent's system prompt")
    .option("--replace-system", "use the text of --system instead of the agent's own system prompt")
    .option(
      "--resume <session>",
      "go on with this session: the agent's id, a part of it that fits one session only, or `last`",
    )
    .option("--fork <session>", "go on with a copy of this session, named as for --resume")
    .option("--no-session", "let the agent keep no session")
    .addOption(
      new Option("--approve <mode>", "what to do about actions that need permission (default: ask)").choices([
        ...["ask", "auto", "deny", "prompt", "yolo"],
      ]),
    )
    .option("--mcp <file>", 'MCP servers to give it, as JSON: {"mcpServers": {"name": {"command": "…", "args": […]}}}')
    .option("--max-turns <n>", "stop the run after this many turns", count("--max-turns"))
    .option("--timeout <span>", "stop the run after this long: 90 (seconds), 5m, 1h30m", seconds("--timeout"))
    .option(
      "--inactivity <span>",
      "stop the run when the agent prints nothing for this long: 90 (seconds), 5m",
      seconds("--inactivity"),
    )
    .option(
      "--retries <n>",
      "try again up to this many times when the agent crashes, times out or is rate limited",
      count("--retries"),
    )
    .addOption(
      new Option(
        "--stream <mode>",
        "text as it is written (true), in one piece (false), or as the agent does it (default: auto)",
      ).choices(["auto", "true", "false"]),
    )
    .option("--dialect <name>", "the wire to talk to the agent by; `spoor agents <name>` lists them")
    .option(
      "--command <line>",
      'the agent\'s program with its first arguments, when it is not on the PATH under its own name. Example: --command "npx claude"',
    )
    .option("--clean-env", "pass only the variables it is known to need, and those of --env")
    .option(
      "--env <name>",
      "pass this environment variable on, also where --clean-env would hold it back; Spoor's own secrets never pass; repeat it for further variables",
      variable,
    )
    .option("--no-record", "do not record the run")
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .option("--task <id>", "record it under this task: its id, a part of it that fits one task only, or `last`")
    .option("--no-tape", "record events, but not the agent's raw lines")
    .option(
      "--lock-wait <span>",
      "wait this long for a log that another process holds (default: 5m)",
      seconds("--lock-wait"),
    )
    .addOption(
      new Option("--if-unrecorded <what>", "what to do when the run cannot be recorded any more")
        .choices(["stop", "continue"])
        .default("stop"),
    )
    .option("--record-thinking", "also record what the agent thinks")
    .option("--record-tool-input", "also record the input of tool calls while the model writes it")
    .option("--max-recorded <size>", "record at most this much of the run, as 500m or 2g (default: 1g)", recordedSize)
    .option("--debug", "add the agent's own line to each event, as `raw`")
    .action(async (agent: string, prompt: string | undefined, options: RunCommandOptions) => {
      const { runAgent } = await import("../actions/run.ts");
      await runAgent(agent, prompt, await wholeOptions(agent, options), io);
    });
}

/** Only what was abbreviated has to be looked up. */
async function wholeOptions(agent: string, options: RunCommandOptions): Promise<RunCommandOptions> {
  const { task, resume, fork } = options;
  if (task === undefined && resume === undefined && fork === undefined) return options;
  return (await import("../whole-ids.ts")).withWholeIds(agent, options);
}

const recordedSize = unit("--max-recorded", { k: 1024, m: 1024 ** 2, g: 1024 ** 3 });

const several = (value: string, before: string[] = []): string[] => [...before, value];

function variable(name: string, before?: string[]): string[] {
  if (/^[^=\s]+$/.test(name)) return several(name, before);
  const advice = "Set the variable for `spoor run` itself, and name it.";
  throw new ExitError(2, `--env takes the name of an environment variable, not ${JSON.stringify(name)}. ${advice}`);
}
