import path from "node:path";
import { LogError } from "../../log/errors.ts";
import type { Log } from "../../log/log.ts";
import { dataDirectory, logExists, openLog, openLogToRead } from "../../log/open.ts";
import { loop } from "../../loop/loop-kind.ts";
import { McpRefusal } from "../../translators/mcp/answers/refusal.ts";
import { createMcpServer, type McpContext } from "../../translators/mcp/server.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { takeOutput } from "../running/protocol-output.ts";
import { version } from "../version.ts";

export interface McpOptions {
  data?: string;
  allowCommands?: true;
  http?: true;
  port?: number;
  json?: true;
}

/** Serves the log to agents until the client goes away or a signal comes. */
export async function serveMcp(options: McpOptions, io: Io): Promise<void> {
  const { http, port, json, allowCommands = false } = options;
  if (!http && (port !== undefined || json)) {
    throw new ExitError(
      2,
      `${json ? "--json" : "--port"} needs --http: without it, the server speaks on standard output.`,
    );
  }
  const directory = path.resolve(options.data ?? dataDirectory());
  const { log, close } = logOf(directory, allowCommands);
  const context: McpContext = {
    log,
    directory,
    ...(allowCommands && { commands: { kinds: [loop] } }),
  };
  const createServer = () => createMcpServer(context, { version: version(), onFault });
  try {
    if (http) {
      const { serveMcpOverHttp } = await import("../running/mcp-http.ts");
      await serveMcpOverHttp({ directory, createServer, ...(port !== undefined && { port }), json: json === true }, io);
    } else await serveOverStdio(createServer, io);
  } finally {
    await close();
  }

  // Standard output belongs to the protocol.
  function onFault(error: unknown): void {
    io.stderr.write(`${terminalSafe(String((error as Error).stack ?? error))}\n`);
  }
}

async function serveOverStdio(createServer: () => ReturnType<typeof createMcpServer>, io: Io): Promise<void> {
  const { StdioTransport } = await import("../../translators/mcp/transports/stdio.ts");
  const server = await createServer();
  const closed = Promise.withResolvers<void>();
  const { onclose } = server;
  server.onclose = () => {
    onclose?.();
    closed.resolve();
  };
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    void server.close();
  };
  for (const signal of signals) process.on(signal, stop);
  const { write, release } = takeOutput(io);
  // The SDK declares its transports without `exactOptionalPropertyTypes`.
  await server.connect(new StdioTransport(io.stdin, write) as Parameters<typeof server.connect>[0]);
  await closed.promise;
  release({ isStopped });
  for (const signal of signals) process.off(signal, stop);
}

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * The log of a directory, opened at the first call: a client may start this server before anything is recorded. One that
 * only reads creates none.
 */
function logOf(directory: string, isWritable: boolean): { log(): Promise<Log>; close(): Promise<void> } {
  let opening: Promise<Log> | undefined;
  const open = async (): Promise<Log> => {
    if (isWritable) return openLog({ directory, lockWaitMs: LOCK_WAIT_MS });
    if (logExists(directory)) return openLogToRead({ directory, lockWaitMs: LOCK_WAIT_MS });
    throw new McpRefusal("nothing_recorded", `Nothing is recorded in ${directory} yet. \`spoor run\` records a run.`);
  };
  return {
    log() {
      opening ??= open().catch((error: unknown) => {
        // The next call tries again.
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      const log = await opening?.catch(() => undefined);
      await log?.close().catch((error: unknown) => {
        if (!(error instanceof LogError)) throw error;
      });
    },
  };
}

/** Clients give up after a minute. */
const LOCK_WAIT_MS = 20_000;
