import { readFileSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../log/log.ts";
import { dataDirectory, type OpenLogOptions, openLog } from "../../log/open.ts";
import { startArtifactUpkeep } from "../../runtime/artifacts/upkeep.ts";
import { Caretaker } from "../../runtime/caretaker.ts";
import { serveProducers } from "../../runtime/relay/serve-producers.ts";
import type { RetentionPolicy } from "../../runtime/retention.ts";
import { createServer, type ServerOptions, type SpoorServer } from "../server.ts";
import type { Claim } from "./claim.ts";
import { claimOrFind } from "./running-server.ts";
import { ServeError } from "./serve-error.ts";

/** Which data directory to serve, and how. */
export interface ServeOptions
  extends Omit<ServerOptions, "log" | "token" | "directory">,
    Pick<OpenLogOptions, "durability"> {
  /** The data directory. Default: `dataDirectory()`. */
  directory?: string;
  /** The log of that directory, if the program has opened it already. It stays open when the server closes. */
  log?: Log;
  /** Default: `DEFAULT_PORT`, or a free port if another program uses that one. */
  port?: number;
  /** A file that holds the token; needed to listen beyond loopback. Default: the file `token` in the directory. */
  tokenFile?: string;
  /** Compress runs that ended more than this many milliseconds ago. Absent: none is compressed. */
  compressAfter?: number;
  /** What is kept. Older runs, and artifacts and workspaces that only they need, are removed once an hour. Absent: nothing. */
  keep?: RetentionPolicy;
  /** How many runs of tasks are performed here at the same time. Default: 0, which leaves them to other processes. */
  workers?: number;
  /** What follows the log while it is served, such as exporters. */
  followers?: readonly LogFollower[];
  /** Called if the worker itself fails. It goes on. */
  onWorkerFault?(error: unknown): void;
  /** Called if the upkeep of the log fails. The server tries it again later. */
  onUpkeepFault?(error: unknown): void;
  /** Called if other processes cannot record through this server; they write to the log themselves then. */
  onProducersFault?(error: Error): void;
}

/** Begins to follow a log. It is closed when nothing writes to the log through this server any more, before the log is. */
export type LogFollower = (log: Log, directory: string) => { close(): Promise<void> };

/** A server of a data directory. Close it to let the process exit. */
export interface Serving extends SpoorServer {
  readonly directory: string;
  readonly log: Log;
  /** Stops the server: requests have `graceMs` (5,000 by default) to finish. Closes the log unless the caller gave it. */
  close(graceMs?: number): Promise<void>;
}

/** The port of `serve` when none is given. */
export const DEFAULT_PORT = 8765;

/**
 * Serves a data directory as `spoor serve` does: HTTP, SSE and WebSocket, a socket for processes that record runs, and
 * upkeep of the log. A data directory has at most one server.
 *
 * @throws {ServeError} with code `already_running` if another server runs on the directory, `port_taken` if `port` is used.
 * @throws {LogError} if the log cannot be opened.
 * @example
 * const server = await serve({ directory: "./runs" });
 * console.log(server.loginUrl);
 * process.once("SIGINT", () => server.close());
 */
export async function serve(options: ServeOptions = {}): Promise<Serving> {
  const directory = path.resolve(options.directory ?? dataDirectory());
  const found = await claimOrFind(directory);
  if ("running" in found) {
    const { running } = found;
    const message = `A server runs on ${directory} already, at ${running.url} (process ${running.pid}).`;
    throw new ServeError("already_running", message, { running });
  }
  try {
    return await serveClaimed(found.claim, directory, options);
  } catch (error) {
    found.claim.release();
    throw error;
  }
}

async function serveClaimed(claim: Claim, directory: string, options: ServeOptions): Promise<Serving> {
  const { compressAfter, keep, durability, onUpkeepFault, onProducersFault, workers = 0 } = options;
  const log = options.log ?? (await openLog({ directory, ...(durability && { durability }) }));
  const closeLog = async () => {
    if (!options.log) await log.close();
  };
  const server = await listen(options, directory, log).catch(async (error: unknown) => {
    await closeLog();
    throw error;
  });
  claim.announce({ pid: process.pid, url: server.url, token_file: tokenFileOf(options, directory) });
  const caretaker = new Caretaker(log, {
    ...(compressAfter !== undefined && { compressAfter }),
    ...(keep && { keep }),
    ...(onUpkeepFault && { onFault: onUpkeepFault }),
    async successor(lost) {
      const { resumeLost } = await import("../../runtime/tasks/resume-lost.ts");
      return resumeLost({ log, directory, by: "spoor", ...(options.kinds && { kinds: options.kinds }) })(lost);
    },
  });
  const onGone = () => caretaker.lookForLost();
  const producers = await serveProducers({
    log,
    directory,
    onGone,
    ...(onProducersFault && { onFailure: onProducersFault }),
  });
  const following = (options.followers ?? []).map((follow) => follow(log, directory));
  const artifacts = startArtifactUpkeep(log, directory, onUpkeepFault);
  const rounds = setInterval(() => void caretaker.round(), ROUND_MS);
  void caretaker.round();
  const worker = workers > 0 ? await startWorker(log, directory, workers, { ...options, onGone }) : undefined;

  const close = async (graceMs?: number): Promise<void> => {
    clearInterval(rounds);
    claim.withdraw();
    await Promise.all([
      server.close(graceMs),
      caretaker.close(),
      artifacts.close(),
      producers.close(),
      worker?.close(),
    ]);
    await Promise.all(following.map((one) => one.close()));
    await closeLog();
    claim.release();
  };
  let closing: Promise<void> | undefined;
  return {
    url: server.url,
    loginUrl: server.loginUrl,
    createLoginUrl: () => server.createLoginUrl(),
    directory,
    log,
    close(graceMs) {
      closing ??= close(graceMs);
      return closing;
    },
  };
}

/** Loaded only if runs are performed here. */
async function startWorker(
  log: Log,
  directory: string,
  concurrency: number,
  { onWorkerFault, onGone, kinds }: ServeOptions & { onGone(): void },
) {
  const { Worker } = await import("../../runtime/queue/worker.ts");
  const onFault = onWorkerFault && { onFault: onWorkerFault };
  return new Worker({ log, directory, concurrency, onProcessEnd: onGone, ...onFault, ...(kinds && { kinds }) });
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    const message = `The token file ${file} cannot be read: ${(cause as Error).message}. Name a file that holds a token (--token-file).`;
    throw new Error(message, { cause });
  }
}

/** Milliseconds between two rounds of upkeep. */
const ROUND_MS = 30_000;

const tokenFileOf = ({ tokenFile }: ServeOptions, directory: string): string =>
  path.resolve(tokenFile ?? path.join(directory, "token"));

async function listen(options: ServeOptions, directory: string, log: Log): Promise<SpoorServer> {
  const { port = DEFAULT_PORT, tokenFile } = options;
  const token = tokenFile === undefined ? undefined : readTokenFile(tokenFile);
  try {
    return await createServer({ ...options, log, directory, port, ...(token !== undefined && { token }) });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const reason = listenFailures[code];
    if (reason !== undefined) {
      const message = `The server cannot listen on ${options.host ?? "127.0.0.1"}, port ${port}: ${reason}`;
      throw new Error(message, { cause: error });
    }
    if (code !== "EADDRINUSE") throw error;
    if (options.port === undefined) return listen({ ...options, port: 0 }, directory, log);
    const message = `Port ${port} is taken by another program or by the server of another data directory. Choose another port (--port).`;
    throw new ServeError("port_taken", message, { cause: error });
  }
}

/** Why the system does not let us listen, by its error code, and what to do about it. */
const listenFailures: Readonly<Record<string, string>> = {
  ENOTFOUND: "no address is known for this name. Choose an address of this machine (--host).",
  EAI_AGAIN: "no address is known for this name. Choose an address of this machine (--host).",
  EADDRNOTAVAIL: "this machine does not have this address. Choose one that it has (--host).",
  EACCES: "you have no permission to use this port. Choose a port above 1023 (--port).",
};
