import { type Command, Option } from "commander";
import type { LoginOptions } from "../actions/login.ts";
import type { ServeCommandOptions } from "../actions/serve.ts";
import { keepLimit } from "../flags/keep-limit.ts";
import { count } from "../flags/numbers.ts";
import { serveDefaults } from "../flags/serve-defaults.ts";
import { duration } from "../flags/time-spans.ts";
import type { Io } from "../io.ts";

export function registerServe(program: Command, io: Io): void {
  program
    .command("serve")
    .summary("serve the web page, and the log over HTTP")
    .description(
      "Serves recorded and running runs as a web page, and over HTTP, SSE and WebSocket.\n" +
        "Ctrl-C stops the server. It first commits pending events and tells its readers that it stops.\n" +
        "A data directory has one server: if one is running already, this prints its address and a fresh login link.\n" +
        "With OTEL_EXPORTER_OTLP_ENDPOINT, every run that ends in the log is exported to OpenTelemetry as a trace and metrics.",
    )
    .option("--host <name>", "the address to listen on; any other than loopback needs --token-file", serveDefaults.host)
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
        .default(serveDefaults.durability),
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
        .default(serveDefaults.compressAfter, "7d"),
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
      serveDefaults.workers,
    )
    .option(
      "--webhook <url>",
      "send events of all runs to this address, signed and at least once; can be repeated",
      (url: string, before: readonly string[] = []) => [...before, url],
    )
    .option(
      "--webhook-types <list>",
      "which events are sent there, separated by commas; `approval.*` is a whole group (default: how runs begin and end, and what waits for a person)",
    )
    .option(
      "--webhook-secret-file <file>",
      "sign webhooks with the secrets in this file, or with those in $SPOOR_WEBHOOK_SECRET (default: a secret of its own for each address, created in the data directory)",
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
