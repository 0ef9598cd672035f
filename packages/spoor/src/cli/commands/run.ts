import { type Command, Option } from "commander";
import type { RunCommandOptions } from "../actions/run.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";

export function registerRun(program: Command, io: Io): void {
  program
    .command("run")
    .summary("run an agent and watch it")
    .description(
      "Runs an agent on a prompt and shows what it does. Ctrl-C interrupts it, a second one ends it.\n\n" +
        "Exit codes: 0 done, 1 failed, 2 called wrongly, 3 no such agent, 4 cannot be run, 5 not logged in, 11 timed out, " +
        "12 crashed, 13 aborted, 14 rate limited, 15 context full, 16 out of turns, 130 interrupted.",
    )
    .argument("<agent>", "which agent")
    .argument("[prompt]", "what it is to do; - or nothing reads it from standard input")
    .option("--json", "print AgentEvents as JSON lines and nothing else")
    .option("--result <file>", "write the result there as JSON")
    .option("--cwd <dir>", "where it works", process.cwd())
    .option("--model <name>", "the model to use")
    .option("--system <text>", "added to its system prompt")
    .option("--resume <session>", "go on with this session")
    .option("--fork <session>", "go on with a copy of this session")
    .option("--no-session", "keep no session")
    .addOption(
      new Option("--approve <mode>", "what to do about actions that need permission")
        .choices(["ask", "auto", "deny"])
        .default("ask"),
    )
    .option("--mcp <file>", 'MCP servers to give it, as JSON: {"mcpServers": {"name": {"command": "…", "args": […]}}}')
    .option("--max-turns <n>", "stop after this many turns", whole("--max-turns"))
    .option("--timeout <seconds>", "stop after this long", whole("--timeout"))
    .option("--inactivity <seconds>", "stop after this long without output", whole("--inactivity"))
    .addOption(new Option("--stream <mode>", "how to tell text").choices(["auto", "true", "false"]).default("auto"))
    .option("--dialect <name>", "which of the agent's wires to use")
    .option(
      "--command <line>",
      "the program, with arguments to come first, when it is not on the PATH under its own name",
    )
    .option("--env <name...>", "let these environment variables through to it")
    .option("--debug", "print the line behind each event as raw")
    .action(async (agent: string, prompt: string | undefined, options: RunCommandOptions) => {
      const { runAgent } = await import("../actions/run.ts");
      await runAgent(agent, prompt, options, io);
    });
}

function whole(name: string): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (!Number.isInteger(n) || n < 1) throw new ExitError(2, `${name} takes a whole number above 0.`);
    return n;
  };
}
