import type { Command } from "commander";
import type { Io } from "../io.ts";

export function registerAgents(program: Command, io: Io): void {
  program
    .command("agents")
    .summary("list the agents Spoor knows")
    .description(
      "Lists every agent Spoor knows: whether it is installed, in which version, where credentials were found, and what it can do. With a name, shows everything about that agent.",
    )
    .argument("[name]", "show everything about this agent")
    .option("--json", "print JSON: a list, or one object when an agent is named")
    .action(async (name: string | undefined, options: { json?: true }) => {
      const { listAgents } = await import("../actions/agents.ts");
      await listAgents(name, options, io);
    });
}
