import { type Command, Option } from "commander";
import type { AcpOptions } from "../actions/acp.ts";
import type { Io } from "../io.ts";
import { withData } from "./shared-arguments.ts";

/** `spoor acp`: the agents of this machine in an editor. */
export function registerAcp(program: Command, io: Io): void {
  withData(program.command("acp"))
    .summary("be an agent of an editor that speaks ACP: Zed, JetBrains, Neovim")
    .description(
      "Speaks the Agent Client Protocol on standard input and output, so an editor can use every agent that is installed here.\n" +
        "Each session is a task, and each prompt a run of it: runs go on when the editor is closed, and the page shows them too.\n" +
        "A server of the data directory performs the runs if there is one; otherwise each run gets a process of its own.",
    )
    .option("--agent <name>", "the agent of new sessions (default: the first that is installed)")
    .option("--model <name>", "the model of new sessions (default: the agent's own)")
    .addOption(
      new Option("--approve <mode>", "what to do about actions that need permission (default: ask)").choices([
        "ask",
        "auto",
        "deny",
      ]),
    )
    .option("--record-thinking", "record what the agent thinks, and show it in the editor")
    .action(async (options: AcpOptions) =>
      (await import("../actions/acp.ts")).acp(options, program.version() ?? "", io),
    );
}
