import { readFileSync } from "node:fs";
import path from "node:path";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { Caretaker } from "../../runtime/caretaker.ts";
import { serveProducers } from "../../runtime/relay/serve-producers.ts";
import { createServer, type SpoorServer } from "../../server/index.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
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
  const log = open(directory, options.durability);
  const server = await listen(options, directory, log);
  const producers = await serveProducers({ log, directory, onFailure: tellUnreachable });
  const caretaker = caretakerOf(log, options.compressAfter);
  const caring = setInterval(() => void caretaker.round(), ROUND_MS);
  void caretaker.round();
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  for (const signal of signals) process.once(signal, stop);
  io.stdout.write(
    options.json ? `${JSON.stringify({ url: server.url, directory })}\n` : welcome(server, directory, options),
  );
  await stopped.promise;
  for (const signal of signals) process.off(signal, stop);
  clearInterval(caring);
  if (!options.json) io.stdout.write("\nStopping.\n");
  await Promise.all([server.close(), caretaker.close(), producers.close()]);
  await log.close();
}

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

function open(directory: string, durability: "process" | "full") {
  try {
    return openLog({ directory, durability });
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${visible(error.message)} ${error.hint}`);
    throw error;
  }
}

const USUAL_PORT = 8765;

async function listen(options: ServeOptions, directory: string, log: ReturnType<typeof open>): Promise<SpoorServer> {
  const { host, port = USUAL_PORT, tokenFile, allowHost: allowedHosts = [] } = options;
  try {
    const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, "utf8").trim();
    return await createServer({ log, directory, host, port, allowedHosts, ...(token !== undefined && { token }) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Whoever asked for no port in particular takes another.
    if (code === "EADDRINUSE" && options.port === undefined) return listen({ ...options, port: 0 }, directory, log);
    await log.close();
    if (code === "EADDRINUSE") {
      throw new ExitError(1, `Port ${port} is taken. Another Spoor may be running; else choose one with --port.`);
    }
    throw new ExitError(1, visible(message));
  }
}

function welcome({ url, loginUrl }: SpoorServer, directory: string, { data, tokenFile }: ServeOptions): string {
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
  return `Spoor is up at ${url}
  the log is in ${visible(directory)}
  open in a browser (works once, within 15 minutes): ${loginUrl}
  token for programs: ${visible(path.resolve(tokenFile ?? path.join(directory, "token")))}

Next, in another terminal:
${next.map(([command, what]) => `  ${command.padEnd(width)}${what}\n`).join("")}
Ctrl-C stops the server.
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
