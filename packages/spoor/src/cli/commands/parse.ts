import { type Command, Option } from "commander";
import type { ParseCommandOptions } from "../actions/parse.ts";
import type { Io } from "../io.ts";

export function registerParse(program: Command, io: Io): void {
  program
    .command("parse")
    .summary("turn an agent's own output into AgentEvents")
    .description(
      "Reads what an agent printed, or a recording of both directions, and prints the AgentEvents of the run as JSON lines, " +
        "without running the agent. The same file always gives the same bytes.",
    )
    .argument("<agent>", "the agent that printed the output")
    .argument("[file]", "the file to read; - is standard input", "-")
    .option("--dialect <name>", "the dialect of the output (default: recognised from the first lines)")
    .option(
      "--exit-code <n>",
      "the exit code of the process (default: from the .meta.json beside the file, or 0)",
      Number,
    )
    .option("--signal <name>", "the signal that ended the process")
    .addOption(
      new Option(
        "--stream <mode>",
        "text in pieces as the agent printed it (true), in one piece (false), or as the dialect does it (auto)",
      )
        .choices(["auto", "true", "false"])
        .default("auto"),
    )
    .option("--accumulated", "print the accumulated text of every delta")
    .option("--debug", "add the agent's own line to each event, as `raw`")
    .action(async (agent: string, file: string, options: ParseCommandOptions) => {
      const { parseFile } = await import("../actions/parse.ts");
      await parseFile(agent, file, options, io);
    });
}
