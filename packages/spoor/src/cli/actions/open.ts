import path from "node:path";
import { dataDirectory } from "../../log/open.ts";
import type { RunningServer } from "../../server/serving/claim.ts";
import { ExitError } from "../exit-error.ts";
import { serveDefaults } from "../flags/serve-defaults.ts";
import { findRun } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { qrCode } from "../output/qr-code.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { networkAddresses } from "../running/network-address.ts";
import { openBrowser } from "../running/open-browser.ts";
import { runningServer } from "./login.ts";

export interface OpenOptions extends DataOption {
  print?: true;
  phone?: true;
  json?: true;
}

/** Opens the web page: all runs, or one. */
export async function openPage(typed: string | undefined, options: OpenOptions, io: Io): Promise<void> {
  const directory = path.resolve(options.data ?? dataDirectory());
  const run_id =
    typed === undefined ? undefined : await withLog(options, async (log) => (await findRun(log, typed)).run_id);
  const screen = run_id === undefined ? "/" : `/runs/${run_id}`;
  const server = await runningServer(directory);
  if (!server) return serveAndOpen(screen, directory, options, io);
  if (options.phone) return printForPhone(server, screen, options, io);
  const { url, expires_at } = server;
  const login_url = loginTo(server.login_url, screen);
  if (options.json) {
    io.stdout.write(
      `${JSON.stringify({ url: url + screen, directory, ...(run_id && { run_id }), login_url, expires_at })}\n`,
    );
  } else if (options.print) {
    io.stdout.write(`Open in a browser (works once, within 15 minutes): ${login_url}\n`);
  } else {
    io.stdout.write(await opened(url + screen, login_url));
  }
}

/** The link that logs a browser in and leads to a screen. */
const loginTo = (login_url: string, screen: string): string =>
  screen === "/" ? login_url : `${login_url}?${new URLSearchParams({ next: screen })}`;

async function opened(page: string, login_url: string): Promise<string> {
  const reason = await openBrowser(login_url);
  return reason === undefined
    ? `Opened ${page} in the browser.\n  If nothing appears, open this link (works once, within 15 minutes): ${login_url}\n`
    : `No browser could be opened here: ${terminalSafe(reason)}.\nOpen this link yourself (works once, within 15 minutes): ${login_url}\n`;
}

/** Without a server, a person at a terminal gets one that runs until Ctrl-C. Nothing is left running behind their back. */
async function serveAndOpen(screen: string, directory: string, options: OpenOptions, io: Io): Promise<void> {
  const isTerminal = (io.stdout as { isTTY?: boolean }).isTTY === true;
  if (options.json || options.print || options.phone || !isTerminal) {
    throw new ExitError(
      1,
      `No server runs on ${terminalSafe(directory)}. Start one with \`spoor serve\`, or use \`spoor open\` at a terminal.`,
    );
  }
  const { serveUntilStopped } = await import("./serve.ts");
  await serveUntilStopped(
    { ...serveDefaults, ...(options.data !== undefined && { data: options.data }) },
    io,
    async (server) => {
      io.stdout.write(`\n${await opened(server.url + screen, loginTo(server.createLoginUrl(), screen))}`);
    },
  );
}

async function printForPhone(server: RunningServer, screen: string, { json }: OpenOptions, io: Io): Promise<void> {
  const { port, pathname } = new URL(server.login_url);
  const reached = await Promise.all(networkAddresses().map((address) => answers(`http://${address}:${port}`)));
  const url = reached.find((found) => found !== undefined);
  if (url === undefined) {
    throw new ExitError(
      1,
      `The server at ${server.url} listens on this machine only. Stop it (kill ${server.pid}), then start it with ` +
        `\`spoor serve --host 0.0.0.0 --token-file ${terminalSafe(server.token_file)}\`. Do so only in a network that you trust.`,
    );
  }
  const login_url = loginTo(url + pathname, screen);
  io.stdout.write(
    json
      ? `${JSON.stringify({ url: url + screen, login_url, expires_at: server.expires_at })}\n`
      : `Open on a phone in the same network (works once, within 15 minutes): ${login_url}\n${await qrCode(login_url, io.stdout)}`,
  );
}

async function answers(url: string): Promise<string | undefined> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok ? url : undefined;
  } catch {
    return undefined;
  }
}
