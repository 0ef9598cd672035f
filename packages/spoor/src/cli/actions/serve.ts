import path from "node:path";
import type { WebhookRecord } from "@spoor/protocol/api";
import { LogError } from "../../log/errors.ts";
import { dataDirectory } from "../../log/open.ts";
import { loop } from "../../loop/loop-kind.ts";
import type { RetentionPolicy } from "../../runtime/retention.ts";
import { isLoopback } from "../../server/http/allowed-hosts.ts";
import type { RunningServer } from "../../server/serving/claim.ts";
import { DEFAULT_PORT, type Serving, serve } from "../../server/serving/serve.ts";
import { ServeError } from "../../server/serving/serve-error.ts";
import { acolyteRoutes } from "../../translators/acolyte/routes.ts";
import { streamLanguages } from "../../translators/stream-languages.ts";
import type { Webhooks } from "../../translators/webhooks/webhooks.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { shellWord } from "../output/shell-word.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { exporters } from "../running/export-runs.ts";
import { readingMcpRoutes } from "../running/mcp-routes.ts";

export interface ServeCommandOptions {
  host: string;
  port?: number;
  data?: string;
  durability: "process" | "full";
  tokenFile?: string;
  allowHost?: string[];
  /** Milliseconds; undefined means never. */
  compressAfter: number | undefined;
  keep?: RetentionPolicy;
  workers: number;
  webhook?: string[];
  webhookTypes?: string;
  webhookSecretFile?: string;
  json?: true;
}

/** Serves a data directory until a signal ends it. If a server runs there already, this prints where and returns. */
export async function serveUntilStopped(
  options: ServeCommandOptions,
  io: Io,
  onListening?: (server: Serving) => Promise<void>,
): Promise<void> {
  const plan = await webhookPlan(options);
  let webhooks: Webhooks | undefined;
  const server = await start(options, io, () => webhooks);
  if (!server) return;
  webhooks = await plan?.(server, io).catch(async (error: Error) => {
    await server.close(0);
    throw new ExitError(1, terminalSafe(error.message));
  });
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  // Not `once`: while a listener is registered, children are not killed at the first signal.
  for (const signal of signals) process.on(signal, stop);
  const { url, directory } = server;
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ url, directory, ...(webhooks && { webhooks: webhooks.list().map(brief) }) })}\n`
      : welcome(server, options) + webhookLines(webhooks) + (await forPhone(server, options, io)) + CLOSING,
  );
  await onListening?.(server);
  await stopped.promise;
  for (const signal of signals) process.off(signal, stop);
  if (!options.json) io.stdout.write("\nStopping.\n");
  // The log is closed with the server, and the webhooks save in it how far they are.
  try {
    await webhooks?.close();
  } finally {
    await server.close();
  }
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** Reads what the flags say about webhooks. The translator is loaded only if they are used. */
async function webhookPlan(options: ServeCommandOptions) {
  if (options.webhook) return (await import("../running/serve-webhooks.ts")).planWebhooks(options.webhook, options);
  const flag =
    options.webhookTypes === undefined ? options.webhookSecretFile && "--webhook-secret-file" : "--webhook-types";
  if (flag) throw new ExitError(2, `${flag} needs an address to send events to. Add --webhook <url>.`);
  return undefined;
}

const brief = ({ webhook_id, url, secret_place }: WebhookRecord) => ({ webhook_id, url, secret_place });

const webhookLines = (webhooks: Webhooks | undefined): string =>
  (webhooks?.list() ?? [])
    .map(
      ({ webhook_id, url, secret_place }) =>
        `\nEvents go to ${terminalSafe(url)} (${webhook_id})\n  the secret of their signature is in ${terminalSafe(secret_place)}\n`,
    )
    .join("");

async function start(
  options: ServeCommandOptions,
  io: Io,
  webhooks: () => Webhooks | undefined,
): Promise<Serving | undefined> {
  const {
    host,
    port,
    data: directory,
    durability,
    tokenFile,
    allowHost: allowedHosts,
    compressAfter,
    keep,
    workers,
  } = options;
  const followers = await exporters((line) => console.error(terminalSafe(line)));
  try {
    return await serve({
      host,
      durability,
      workers,
      kinds: [loop],
      languages: streamLanguages,
      routes: (context) => [...acolyteRoutes(context), ...readingMcpRoutes(context)],
      webhooks,
      followers,
      ...(keep && { keep }),
      ...(port !== undefined && { port }),
      ...(directory !== undefined && { directory }),
      ...(tokenFile !== undefined && { tokenFile }),
      ...(allowedHosts && { allowedHosts }),
      ...(compressAfter !== undefined && { compressAfter }),
      onUpkeepFault: (error) =>
        console.error(`The upkeep of the log failed: ${terminalSafe((error as Error).message)}`),
      onWorkerFault: (error) =>
        console.error(`The worker failed and goes on: ${terminalSafe((error as Error).message)}`),
      onProducersFault: ({ message }) =>
        console.error(
          `\`spoor run\` cannot reach this server and will write to the log itself: ${terminalSafe(message)}`,
        ),
    });
  } catch (error) {
    if (error instanceof ServeError && error.running) {
      reportRunning(error.running, options, io);
      return undefined;
    }
    if (error instanceof LogError) throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    throw new ExitError(1, terminalSafe((error as Error).message));
  }
}

function reportRunning({ url, login_url, expires_at, pid }: RunningServer, options: ServeCommandOptions, io: Io): void {
  const directory = path.resolve(options.data ?? dataDirectory());
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ url, directory, already_running: true, login_url, expires_at })}\n`
      : `Spoor is already running at ${url} (process ${pid})
  the log is in ${terminalSafe(directory)}
  open in a browser (works once, within 15 minutes): ${login_url}
`,
  );
  if (options.webhook)
    throw new ExitError(1, `--webhook was not used. To send webhooks, stop that server first (kill ${pid}).`);
  const { port } = new URL(url);
  if (options.port === undefined || options.port === 0 || String(options.port) === port) return;
  throw new ExitError(1, `--port ${options.port} was not used. To move the server there, stop it first (kill ${pid}).`);
}

function welcome({ url, loginUrl, directory }: Serving, { data, port, tokenFile }: ServeCommandOptions): string {
  // The user's other terminal may be in another directory and may lack our environment.
  const chosen = data === undefined ? "" : ` --data ${shellWord(directory)}`;
  const next = [
    ["npx spoor agents", "list the agents"],
    [`npx spoor run claude "say hello"${chosen}`, "run an agent and record it"],
    [`npx spoor ls${chosen}`, "list the recorded runs"],
    [`npx spoor tail${chosen}`, "follow all runs live"],
    [`npx spoor open${chosen}`, "open the page again, with a fresh link"],
  ] as const;
  const width = Math.max(...next.map(([command]) => command.length)) + 6;
  const isElsewhere = port === undefined && new URL(url).port !== String(DEFAULT_PORT);
  const other = isElsewhere
    ? `  port ${DEFAULT_PORT} is taken by another program, or by the server of another data directory, so this server uses a free port\n`
    : "";
  return `Spoor is up at ${url}
${other}  the log is in ${terminalSafe(directory)}
  open in a browser (works once, within 15 minutes; \`npx spoor login${chosen}\` prints another): ${loginUrl}
  token for programs: ${terminalSafe(path.resolve(tokenFile ?? path.join(directory, "token")))}

Next, in another terminal:
${next.map(([command, what]) => `  ${command.padEnd(width)}${what}\n`).join("")}`;
}

const CLOSING = "\nCtrl-C stops the server.\n";

/** How to open the page on a phone, if other machines reach the server. */
async function forPhone(server: Serving, { host }: ServeCommandOptions, io: Io): Promise<string> {
  if (isLoopback(host)) return "";
  const { networkUrl } = await import("../running/network-address.ts");
  const url = networkUrl(host, server.url);
  if (url === undefined) return "";
  const { qrCode } = await import("../output/qr-code.ts");
  const link = url + new URL(server.createLoginUrl()).pathname;
  return `\nOn a phone in the same network (works once, within 15 minutes): ${link}\n${await qrCode(link, io.stdout)}`;
}
