import path from "node:path";
import { dataDirectory } from "../../log/open.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { runningServer } from "../serving/running.ts";
import { visible } from "../visible.ts";

export interface LoginOptions {
  data?: string;
  json?: true;
}

/** Prints a fresh one-time link for the server of a data directory. */
export async function login({ data, json }: LoginOptions, io: Io): Promise<void> {
  const directory = path.resolve(data ?? dataDirectory());
  const server = await runningServer(directory);
  if (!server) {
    throw new ExitError(1, `No server runs on ${visible(directory)}. Start one with \`spoor serve\`.`);
  }
  const { url, login_url, expires_at } = server;
  io.stdout.write(
    json
      ? `${JSON.stringify({ url, directory, login_url, expires_at })}\n`
      : `Open in a browser (works once, within 15 minutes): ${login_url}\n`,
  );
}
