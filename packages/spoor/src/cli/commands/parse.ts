import { type Command, Option } from "commander";
import type { ParseCommandOptions } from "../actions/parse.ts";
import type { Io } from "../io.ts";

export function registerParse(program: Command, io: Io): void {
  program
    .command("parse")
    .summary("turn an agent's own output into AgentEvents")
    .description(
      "Reads what an agent printed, or a recording of both directions, and prints AgentEvents as JSON lines: the same as a live run, " +
        "without the process. The same file always gives the same bytes.",
    )
    .argument("<agent>", "the agent whose output it is")
    .argument("[file]", "the file to read; - or nothing reads standard input", "-")
    .option("--dialect <name>", "which of the agent's wires it is (default: recognised from the first lines)")
    .option(
      "--exit-code <n>",
      "the exit code of the process (default: from the .meta.json beside the file, or 0)",
      Number,
    )
    .option("--signal <name>", "the signal that ended the process")
    .addOption(new Option("--stream <mode>", "how to tell text").choices(["auto", "true", "false"]).default("auto"))
    .option("--accumulated", "print the accumulated text of every delta")
    .option("--debug", "print the line behind each event as raw")
    .action(async (agent: string, file: string, options: ParseCommandOptions) => {
      const { parseFile } = await import("../actions/parse.ts");
      await parseFile(agent, file, options, io);
    });
}
