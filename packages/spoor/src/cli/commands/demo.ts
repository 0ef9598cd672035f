import type { Command } from "commander";
import type { DemoOptions } from "../actions/demo.ts";
import type { Io } from "../io.ts";
import { withData } from "./shared-arguments.ts";

/** `spoor demo`: everything at work in a minute, without a key, an agent or a network. */
export function registerDemo(program: Command, io: Io): void {
  withData(program.command("demo"))
    .summary("see everything work, without a key or an agent")
    .description(
      "Plays a short tour: a scripted model drives Spoor's own agent loop with real tools in a scratch folder. It thinks, writes " +
        "files, runs commands, asks before it changes a file, keeps a list, calls an MCP server, asks a subagent, and ends with " +
        "changes that can be looked at and undone. No key, no agent and no network are needed.\n\n" +
        "At a terminal you answer its questions. If nobody is there, the demo says so and answers itself.",
    )
    .option("--ask", "wait for an answer even if nobody is at the terminal: `spoor approve` gives it")
    .option("--yes", "let the demo answer its own questions")
    .option("--json", "print only the stored envelopes, as JSON lines; the demo answers its own questions")
    .action(async (options: DemoOptions) => (await import("../actions/demo.ts")).demo(options, io));
  program
    .command("demo-handbook", { hidden: true })
    .description("The MCP server of the demo, over standard input and output.")
    .action(async () => (await import("../actions/demo-handbook.ts")).serveHandbook(io));
}
