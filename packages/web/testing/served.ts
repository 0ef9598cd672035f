import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createSpoorClient, type SpoorClient } from "@spoor/protocol/client";
import { firstLine } from "../../spoor/testing/process/first-line.ts";

const program = fileURLToPath(new URL("../../spoor/bin/spoor.js", import.meta.url));

/** A data directory in a temporary home, and the real `spoor serve` on it. */
export interface Served {
  /** The temporary home. */
  home: string;
  /** The data directory. */
  data: string;
  url: string;
  /** Calls the server with its token. */
  client: SpoorClient;
  /** The cookie that a login link set. */
  cookie: { name: string; value: string; url: string };
  /** The path of a fresh login link, such as `/login/…`. */
  loginLink(): Promise<string>;
  /** Starts the program `spoor` with this data directory. `scratch` is the folder for its temporary files. */
  spoor(
    args: readonly string[],
    options?: { cwd?: string; stderr?: "inherit" | "pipe"; scratch?: string },
  ): ChildProcess & { stdout: NodeJS.ReadableStream };
  /** Ends the server, by SIGKILL unless told otherwise. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server again at the same address. */
  start(): Promise<void>;
  /** Ends the server and every program that was started here, and removes the home. */
  close(): Promise<void>;
}

/** Serves a data directory: a new one, or `data`, which stays when the server closes. */
export async function startServed({
  data: given,
  args = [],
  home = mkdtempSync(path.join(tmpdir(), "spoor-page-")),
}: {
  data?: string;
  args?: string[];
  /** A temporary home. It is removed when the server closes. */
  home?: string;
} = {}): Promise<Served> {
  const data = given ?? path.join(home, "data");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const children = new Set<ChildProcess>();
  let server: ChildProcess | undefined;
  let url = "";

  const spoor: Served["spoor"] = (words, { cwd = home, stderr = "inherit", scratch = home } = {}) => {
    const child = spawn(process.execPath, ["--conditions=spoor-source", program, ...words], {
      cwd,
      env: { ...process.env, HOME: home, SPOOR_HOME: data, TMPDIR: scratch },
      stdio: ["ignore", "pipe", stderr],
      // Standard output is a pipe in both cases.
    }) as ChildProcess & { stdout: NodeJS.ReadableStream };
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
  };
  const start = async (): Promise<void> => {
    const port = url === "" ? "0" : new URL(url).port;
    const child = spoor(["serve", "--data", data, "--port", port, "--json", ...args]);
    url = (JSON.parse(await firstLine(child.stdout)) as { url: string }).url;
    server = child;
  };
  const stop = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    if (server) await end(server, signal);
    server = undefined;
  };
  await start();
  const token = readFileSync(path.join(data, "token"), "utf8").trim();
  const loginLink = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/v1/login_links`, { method: "POST", headers });
    return new URL(((await answer.json()) as { data: { url: string } }).data.url).pathname;
  };
  const login = await fetch(url + (await loginLink()), { redirect: "manual" });
  const [name = "", value = ""] = login.headers.get("set-cookie")?.split(";", 1)[0]?.split("=") ?? [];

  return {
    home,
    data,
    url,
    client: createSpoorClient({ url, token }),
    cookie: { name, value, url },
    loginLink,
    spoor,
    stop,
    start,
    async close() {
      await stop("SIGTERM");
      await Promise.all([...children].map((child) => end(child, "SIGKILL")));
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
