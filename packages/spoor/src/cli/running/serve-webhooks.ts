import type { Serving } from "../../server/serving/serve.ts";
import { receiverOf } from "../../translators/webhooks/receiver.ts";
import { givenSecrets, type SecretSource, secretsOfFile } from "../../translators/webhooks/secrets.ts";
import { defaultTypes, startWebhooks, type Webhooks } from "../../translators/webhooks/webhooks.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface WebhookFlags {
  webhookTypes?: string;
  webhookSecretFile?: string;
}

/** Checks the flags of webhooks before the server starts. Returns the function that starts the deliveries. */
export async function planWebhooks(
  urls: readonly string[],
  { webhookTypes, webhookSecretFile }: WebhookFlags,
): Promise<(server: Serving, io: Io) => Promise<Webhooks>> {
  for (const url of urls) checkUrl(url);
  const types = webhookTypes === undefined ? defaultTypes : typesIn(webhookTypes);
  const secrets = await chosenSecrets(webhookSecretFile);
  return async ({ log, directory }, io) => {
    if (webhookTypes !== undefined) {
      const { unknownTypes } = await import("../history/type-filter.ts");
      for (const warning of await unknownTypes(log, webhookTypes, "--webhook-types"))
        io.stderr.write(`${terminalSafe(warning)}\n`);
    }
    return startWebhooks({
      log,
      directory,
      urls,
      types,
      ...(secrets && { secrets }),
      onNotice: (text) => console.error(terminalSafe(text)),
    });
  };
}

function checkUrl(url: string): void {
  try {
    receiverOf(url);
  } catch (error) {
    // The address is not repeated, because it may hold credentials.
    throw new ExitError(2, `--webhook cannot be used: ${(error as Error).message}.`);
  }
}

/** The same spelling as `event_type` of the HTTP interface. */
function typesIn(list: string): string[] {
  const types = [...new Set(list.split(",").map((type) => type.trim()))];
  const wrong = types.find((type) => !/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*\.([a-z0-9_]+|\*)$/.test(type));
  if (wrong !== undefined)
    throw new ExitError(
      2,
      `--webhook-types takes dotted types or groups, separated by commas, such as run.finished,approval.*, not ${terminalSafe(JSON.stringify(wrong))}.`,
    );
  return types;
}

/** A secret on the command line could be seen by every user of the machine, so it comes from a file or the environment. */
async function chosenSecrets(file: string | undefined): Promise<SecretSource | undefined> {
  const given = process.env.SPOOR_WEBHOOK_SECRET;
  // The agents that this server starts need not know it.
  delete process.env.SPOOR_WEBHOOK_SECRET;
  try {
    if (file === undefined) return given === undefined ? undefined : givenSecrets(given, "$SPOOR_WEBHOOK_SECRET");
    const secrets = secretsOfFile(file);
    await secrets.read();
    return secrets;
  } catch (error) {
    throw new ExitError(1, terminalSafe((error as Error).message));
  }
}
