import { readFileSync } from "node:fs";
import path from "node:path";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { Caretaker } from "../../runtime/caretaker.ts";
import { serveProducers } from "../../runtime/relay/serve-producers.ts";
import { createServer, type SpoorServer } from "../../server/server.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import type { Claim } from "../serving/claim.ts";
import { claimOrFind, type RunningServer } from "../serving/running.ts";
import { visible } from "../visible.ts";

export interface ServeOptions {
  host: string;
  port?: number;
  data?: string;
  durability: "process" | "full";
  tokenFile?: string;
  allowHost?: string[];
  /** Milliseconds; undefined is never. */
  compressAfter: number | undefined;
  json?: true;
}

export async function serve(options: ServeOptions, io: Io): Promise<void> {
  const directory = path.resolve(options.data ?? dataDirectory());
  const found = await claimOrFind(directory);
  if ("running" in found) {
    tellRunning(found.running, directory, options, io);
    return;
  }
  try {
    await serveClaimed(found.claim, directory, options, io);
  } finally {
    found.claim.release();
  }
}

async function serveClaimed(claim: Claim, directory: string, options: ServeOptions, io: Io): Promise<void> {
  const log = await open(directory, options.durability);
  const { server, isElsewhere } = await listen(options, directory, log);
  claim.announce({ pid: process.pid, url: server.url, token_file: tokenFileOf(options, directory) });
  const producers = await serveProducers({ log, directory, onFailure: tellUnreachable });
  const caretaker = caretakerOf(log, options.compressAfter);
  const caring = setInterval(() => void caretaker.round(), ROUND_MS);
  void caretaker.round();
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  for (const signal of signals) process.once(signal, stop);
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ url: server.url, directory })}\n`
      : welcome(server, directory, options, isElsewhere),
  );
  await stopped.promise;
  for (const signal of signals) process.off(signal, stop);
  clearInterval(caring);
  claim.withdraw();
  if (!options.json) io.stdout.write("\nStopping.\n");
  await Promise.all([server.close(), caretaker.close(), producers.close()]);
  await log.close();
}

/** A second server on one data directory would only confuse: which port is it, and which one does the caretaking? */
function tellRunning(running: RunningServer, directory: string, options: ServeOptions, io: Io): void {
  const { url, login_url, expires_at, pid } = running;
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ url, directory, already_running: true, login_url, expires_at })}\n`
      : `Spoor is already running at ${url} (process ${pid})
  the log is in ${visible(directory)}
  open in a browser (works once, within 15 minutes): ${login_url}
`,
  );
  const { port } = new URL(url);
  if (options.port === undefined || options.port === 0 || String(options.port) === port) return;
  throw new ExitError(1, `--port ${options.port} was not used. To move the server there, stop it first (kill ${pid}).`);
}

const tokenFileOf = ({ tokenFile }: ServeOptions, directory: string): string =>
  path.resolve(tokenFile ?? path.join(directory, "token"));

const signals = ["SIGINT", "SIGTERM"] as const;

/** Milliseconds. */
const ROUND_MS = 30_000;

const caretakerOf = (log: Log, compressAfter: number | undefined): Caretaker =>
  new Caretaker(log, {
    ...(compressAfter !== undefined && { compressAfter }),
    onFault: (error) => console.error(`The log could not be looked after: ${visible((error as Error).message)}`),
  });

const tellUnreachable = ({ message }: Error): void =>
  console.error(`\`spoor run\` will write the log by itself, for it cannot reach this server: ${visible(message)}`);

async function open(directory: string, durability: "process" | "full"): Promise<Log> {
  try {
    return await openLog({ directory, durability });
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${visible(error.message)} ${error.hint}`);
    throw error;
  }
}

const USUAL_PORT = 8765;

interface Listening {
  server: SpoorServer;
  /** The usual port was taken, and nobody asked for a certain one. */
  isElsewhere: boolean;
}

async function listen(options: ServeOptions, directory: string, log: Log, isElsewhere = false): Promise<Listening> {
  const { host, port = USUAL_PORT, tokenFile, allowHost: allowedHosts = [] } = options;
  try {
    const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, "utf8").trim();
    const given = token === undefined ? {} : { token };
    return { server: await createServer({ log, directory, host, port, allowedHosts, ...given }), isElsewhere };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE" && options.port === undefined) {
      return listen({ ...options, port: 0 }, directory, log, true);
    }
    await log.close();
    if (code === "EADDRINUSE") {
      throw new ExitError(
        1,
        `Port ${port} is taken by another program, or by the server of another data directory. Choose another --port.`,
      );
    }
    throw new ExitError(1, visible(message));
  }
}

function welcome(
  { url, loginUrl }: SpoorServer,
  directory: string,
  options: ServeOptions,
  isElsewhere: boolean,
): string {
  const { data } = options;
  // Another terminal may stand elsewhere, and knows nothing of this directory.
  const chosen =
    data === undefined ? "" : ` --data ${visible(/^[\w./-]+$/.test(directory) ? directory : quoted(directory))}`;
  const next = [
    ["npx spoor agents", "which agents are here"],
    [`npx spoor run claude "say hello"${chosen}`, "run one; it is recorded"],
    [`npx spoor ls${chosen}`, "what was recorded"],
    [`npx spoor tail${chosen}`, "watch everything live"],
  ] as const;
  const width = Math.max(...next.map(([command]) => command.length)) + 6;
  const other = isElsewhere
    ? `  port ${USUAL_PORT} is taken by another program, or by the server of another data directory: this one took a free port\n`
    : "";
  return `Spoor is up at ${url}
${other}  the log is in ${visible(directory)}
  open in a browser (works once, within 15 minutes; \`npx spoor login${chosen}\` prints another): ${loginUrl}
  token for programs: ${visible(tokenFileOf(options, directory))}

Next, in another terminal:
${next.map(([command, what]) => `  ${command.padEnd(width)}${what}\n`).join("")}
Ctrl-C stops the server.
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
