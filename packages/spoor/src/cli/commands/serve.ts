import { type Command, Option } from "commander";
import type { LoginOptions } from "../actions/login.ts";
import type { ServeCommandOptions } from "../actions/serve.ts";
import { keepLimit } from "../flags/keep-limit.ts";
import { count } from "../flags/numbers.ts";
import { duration } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";

export function registerServe(program: Command, io: Io): void {
  program
    .command("serve")
    .summary("serve the log over HTTP")
    .description(
      "Serves recorded and running runs over HTTP, SSE and WebSocket.\n" +
        "Ctrl-C stops the server. It first commits pending events and tells its readers that it stops.\n" +
        "A data directory has one server: if one is running already, this prints its address and a fresh login link.",
    )
    .option("--host <name>", "the address to listen on; any other than loopback needs --token-file", "127.0.0.1")
    .option(
      "--port <n>",
      "the port to listen on; 0 is any free port (default: 8765, or a free port if that is taken)",
      count("--port", 0, 65_535),
    )
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .addOption(
      new Option(
        "--durability <level>",
        "what an acknowledged event survives: a killed process (process), or a power loss too (full)",
      )
        .choices(["process", "full"])
        .default("process"),
    )
    .option(
      "--token-file <file>",
      "read the access token from this file instead of the one that is generated in the data directory",
    )
    .option(
      "--allow-host <name...>",
      "also accept requests for these host names, such as that of a TLS proxy in front of the server",
    )
    .addOption(
      new Option(
        "--compress-after <age>",
        "compress runs that ended longer ago than this: a time span such as 30d or 12h, or `never`",
      )
        .argParser((text) => (text === "never" ? undefined : duration("--compress-after")(text)))
        .default(7 * 86_400_000, "7d"),
    )
    .option(
      "--keep <limit>",
      "remove the oldest runs beyond this limit, with their artifacts: an age (30d), a number (500runs) or a size (10GB); can be repeated",
      keepLimit,
    )
    .option(
      "--workers <n>",
      "perform at most this many runs of tasks at the same time; 0 performs none",
      count("--workers", 0, 1_000),
      4,
    )
    .option("--json", "print the address as JSON")
    .action(async (options: ServeCommandOptions) =>
      (await import("../actions/serve.ts")).serveUntilStopped(options, io),
    );
  program
    .command("login")
    .summary("print a link that logs a browser in")
    .description(
      "Prints a fresh link to the server of the data directory. The link logs one browser in, once, within 15 minutes.",
    )
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .option("--json", "print the link as JSON")
    .action(async (options: LoginOptions) => (await import("../actions/login.ts")).login(options, io));
}
