import type { Command } from "commander";
import type { Io } from "../io.ts";

export function registerAgents(program: Command, io: Io): void {
  program
    .command("agents")
    .summary("list the agents there are")
    .description(
      "Lists every agent Spoor knows: whether it is installed, which version, and on which wires it can be read and run.",
    )
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const { listAgents } = await import("../actions/agents.ts");
      await listAgents(options, io);
    });
}
