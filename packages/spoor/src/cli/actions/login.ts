import path from "node:path";
import { LogError } from "../../log/errors.ts";
import { dataDirectory } from "../../log/open.ts";
import type { RunningServer } from "../../server/serving/claim.ts";
import { findServer } from "../../server/serving/running-server.ts";
import { ServeError } from "../../server/serving/serve-error.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface LoginOptions {
  data?: string;
  json?: true;
}

/** Prints a fresh one-time link for the server of a data directory. */
export async function login({ data, json }: LoginOptions, io: Io): Promise<void> {
  const directory = path.resolve(data ?? dataDirectory());
  const server = await runningServer(directory);
  if (!server) {
    throw new ExitError(1, `No server runs on ${terminalSafe(directory)}. Start one with \`spoor serve\`.`);
  }
  const { url, login_url, expires_at } = server;
  io.stdout.write(
    json
      ? `${JSON.stringify({ url, directory, login_url, expires_at })}\n`
      : `Open in a browser (works once, within 15 minutes): ${login_url}\n`,
  );
}

/** The server of a data directory, with a fresh login link. An error of it ends the command. */
export async function runningServer(directory: string): Promise<RunningServer | undefined> {
  try {
    return await findServer(directory);
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    if (error instanceof ServeError) throw new ExitError(1, terminalSafe(error.message));
    throw error;
  }
}
