import { type Command, Option } from "commander";
import { scripts, shells } from "../completion/scripts.ts";
import type { Io } from "../io.ts";

/** `spoor completion`, and the hidden command that the shells ask. Register it last: it completes what was registered before. */
export function registerCompletion(program: Command, io: Io): void {
  program
    .command("completion")
    .summary("print completion for a shell")
    .description(
      "Prints a script by which the shell completes commands, flags, agents, and runs by the end of their ids. " +
        "Load it where the shell starts.",
    )
    .addArgument(program.createArgument("<shell>", "the shell").choices([...shells]))
    .action((shell: (typeof shells)[number]) => void io.stdout.write(scripts[shell]));
  program
    .command("complete", { hidden: true })
    .description("Prints what can stand in the place of the last word, for completion in shells.")
    .argument("[words...]")
    .addOption(new Option("--data <dir>").hideHelp())
    .action(async (words: string[]) => {
      const { complete } = await import("../completion/complete.ts");
      for (const { value, about } of await complete(program, words)) io.stdout.write(`${value}\t${about}\n`);
    });
}
