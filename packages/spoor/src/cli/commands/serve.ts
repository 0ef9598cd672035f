import { type Command, Option } from "commander";
import type { LoginOptions } from "../actions/login.ts";
import type { ServeCommandOptions } from "../actions/serve.ts";
import { count } from "../flags/numbers.ts";
import { duration } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";

export function registerServe(program: Command, io: Io): void {
  program
    .command("serve")
    .summary("serve the log over HTTP")
    .description(
      "Serves what is recorded, and what is being recorded, over HTTP, SSE and WebSocket.\n" +
        "Ctrl-C stops it: streams end with a word, what is being written is committed.\n" +
        "A data directory has one server: if one runs already, this says where, with a fresh login link.",
    )
    .option("--host <name>", "where to listen; other than loopback needs --token-file", "127.0.0.1")
    .option(
      "--port <n>",
      "which port; 0 is any that is free (default: 8765, or a free one if that is taken)",
      count("--port", 0, 65_535),
    )
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .addOption(
      new Option(
        "--durability <level>",
        "what an acknowledged event survives: a killed process, or a loss of power too",
      )
        .choices(["process", "full"])
        .default("process"),
    )
    .option("--token-file <file>", "read the token from there, instead of the one made in the data directory")
    .option("--allow-host <name...>", "further names it is reached by, such as that of a proxy with TLS in front of it")
    .addOption(
      new Option("--compress-after <age>", "compress runs that ended so long ago, such as 30d or 12h, or never")
        .argParser((text) => (text === "never" ? undefined : duration("--compress-after")(text)))
        .default(7 * 86_400_000, "7d"),
    )
    .option("--json", "print where it listens as JSON")
    .action(async (options: ServeCommandOptions) =>
      (await import("../actions/serve.ts")).serveUntilStopped(options, io),
    );
  program
    .command("login")
    .summary("print a link that logs a browser in")
    .description(
      "Prints a fresh link to the server that runs on the data directory. The link logs a browser in once, within 15 minutes.",
    )
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .option("--json", "print it as JSON")
    .action(async (options: LoginOptions) => (await import("../actions/login.ts")).login(options, io));
}
