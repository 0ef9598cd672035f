import path from "node:path";
import { LogError } from "../../log/errors.ts";
import { dataDirectory } from "../../log/open.ts";
import { loop } from "../../loop/loop-kind.ts";
import type { RetentionPolicy } from "../../runtime/retention.ts";
import type { RunningServer } from "../../server/serving/claim.ts";
import { DEFAULT_PORT, type Serving, serve } from "../../server/serving/serve.ts";
import { ServeError } from "../../server/serving/serve-error.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

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
  json?: true;
}

/** Serves a data directory until a signal ends it. If a server runs there already, this prints where and returns. */
export async function serveUntilStopped(options: ServeCommandOptions, io: Io): Promise<void> {
  const server = await start(options, io);
  if (!server) return;
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  // Not `once`: while a listener is registered, children are not killed at the first signal.
  for (const signal of signals) process.on(signal, stop);
  const { url, directory } = server;
  io.stdout.write(options.json ? `${JSON.stringify({ url, directory })}\n` : welcome(server, options));
  await stopped.promise;
  for (const signal of signals) process.off(signal, stop);
  const closed = server.close();
  if (!options.json) io.stdout.write("\nStopping.\n");
  await closed;
}

const signals = ["SIGINT", "SIGTERM"] as const;

async function start(options: ServeCommandOptions, io: Io): Promise<Serving | undefined> {
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
  try {
    return await serve({
      host,
      durability,
      workers,
      kinds: [loop],
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
  const { port } = new URL(url);
  if (options.port === undefined || options.port === 0 || String(options.port) === port) return;
  throw new ExitError(1, `--port ${options.port} was not used. To move the server there, stop it first (kill ${pid}).`);
}

function welcome({ url, loginUrl, directory }: Serving, { data, port, tokenFile }: ServeCommandOptions): string {
  // The user's other terminal may be in another directory and may lack our environment.
  const chosen =
    data === undefined ? "" : ` --data ${terminalSafe(/^[\w./-]+$/.test(directory) ? directory : quoted(directory))}`;
  const next = [
    ["npx spoor agents", "list the agents"],
    [`npx spoor run claude "say hello"${chosen}`, "run an agent and record it"],
    [`npx spoor ls${chosen}`, "list the recorded runs"],
    [`npx spoor tail${chosen}`, "follow all runs live"],
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
${next.map(([command, what]) => `  ${command.padEnd(width)}${what}\n`).join("")}
Ctrl-C stops the server.
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
