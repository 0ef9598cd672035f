import type { Command } from "commander";
import type { EnableOptions, WebhooksOptions } from "../actions/webhooks.ts";
import type { Io } from "../io.ts";
import { withData } from "./shared-arguments.ts";

const RECEIVER = "the receiver: its id, or a part at the beginning of its id";

/** `spoor webhooks`: how far the receivers of the running server are. */
export function registerWebhooks(program: Command, io: Io): void {
  const webhooks = withData(program.command("webhooks"))
    .summary("show how far the receivers of webhooks are")
    .description(
      "Shows where the running server sends events (`spoor serve --webhook`), how far each receiver is, and what failed.",
    )
    .option("--json", "print a JSON line for each receiver")
    .action(async (options: WebhooksOptions) => (await import("../actions/webhooks.ts")).listWebhooks(options, io));

  webhooks
    .command("test")
    .summary("send a test event")
    .description(
      "Sends a signed test event to one receiver, or to each of them. Exit code 1: somebody did not take it.",
    )
    .argument("[receiver]", RECEIVER)
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .option("--json", "print a JSON line for each receiver")
    // Commander gives a flag that `webhooks` has too to `webhooks`, so both are read.
    .action(async (receiver: string | undefined, _: object, command: Command) =>
      (await import("../actions/webhooks.ts")).testWebhooks(receiver, command.optsWithGlobals<WebhooksOptions>(), io),
    );

  webhooks
    .command("enable")
    .summary("try a receiver again now")
    .description(
      "Enables a receiver that answered 410 Gone, and ends all waits: everything that it did not get is tried now.",
    )
    .argument("<receiver>", RECEIVER)
    .option("--from-now", "skip what it did not get so far, and begin with what is recorded from now on")
    .option("--data <dir>", "the data directory (default: $SPOOR_HOME or ~/.spoor)")
    .option("--json", "print the receiver as JSON")
    .action(async (receiver: string, _: object, command: Command) =>
      (await import("../actions/webhooks.ts")).enableWebhook(receiver, command.optsWithGlobals<EnableOptions>(), io),
    );
}
