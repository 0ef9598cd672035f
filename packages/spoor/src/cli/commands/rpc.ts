import { type Command, Option } from "commander";
import type { RpcCommandOptions } from "../actions/rpc.ts";
import { readFlag } from "../flags/read-flag.ts";
import type { Io } from "../io.ts";
import { withData } from "./shared-arguments.ts";

/** `spoor rpc`: for programs that speak zot's protocol. */
export function registerRpc(program: Command, io: Io): void {
  withData(program.command("rpc"))
    .summary("speak zot's protocol over standard input and output")
    .description(
      "Takes the commands of `zot rpc` as lines of JSON and prints its events, with any agent behind it. Each prompt is a " +
        "recorded run, so it can be followed, answered and replayed like any other. It ends when its input is closed and the " +
        "last prompt is done; Ctrl-C ends the prompt that runs.\n\n" +
        "zot's protocol has no permissions: --approve decides. With `ask`, the run waits until somebody answers on the page or " +
        "with `spoor approve`, and a line on standard error says so.\n\n" +
        "If ZOTCORE_RPC_TOKEN is set, the first command must be `hello` with that token.",
    )
    .argument("[agent]", "the agent (default: that of the configuration, or `loop`)")
    .option("--model <name>", "the model to use")
    .option("--cwd <dir>", "the folder to work in", process.cwd())
    .addOption(
      new Option("--approve <mode>", "what to do about actions that need permission (default: ask)").choices([
        ...["ask", "auto", "deny"],
      ]),
    )
    .option("--command <line>", "the agent's program with its first arguments", (line) =>
      readFlag.words?.(line, "--command", undefined),
    )
    .action(async (agent: string | undefined, options: RpcCommandOptions) =>
      (await import("../actions/rpc.ts")).rpc(agent, options, program.version() ?? "", io),
    );
}
