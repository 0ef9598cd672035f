import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../process/pids.ts";
import { type ServerProcess, startServer } from "../../server/server-process.ts";
import { type Client, connect } from "./seed-client.ts";

/** An agent whose prompt is a list of words: `hang` waits, `ask` asks for permission, others are said. */
const commanded = fileURLToPath(new URL("../../cli/programs/commanded-claude.mjs", import.meta.url));

/** `spoor serve` as a process, and an agent that does as it is told. */
export interface Served {
  readonly url: string;
  readonly token: string;
  readonly workspace: string;
  /** A request for the agent. */
  ask(message: string, more?: { sessionId?: string; history?: unknown; options?: object }): object;
  connect(): Promise<Client>;
  get(target: string): Promise<Record<string, unknown>>;
  post(target: string, body: unknown): Promise<Response>;
  /** Ends the process as Ctrl-C does. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** Waits for the processes of runs, which write to the log in this folder until they exit. */
export const processesGone = (folder: string): Promise<void> =>
  until(() => spawnSync("pgrep", ["-f", folder]).stdout.length === 0);

export async function serveAcolyte(): Promise<Served> {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-acolyte-"));
  const directory = path.join(home, "data");
  const workspace = path.join(home, "work");
  mkdirSync(workspace);
  let server: ServerProcess = await startServer(directory);
  const token = readFileSync(path.join(directory, "token"), "utf8").trim();
  const clients: Client[] = [];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    get url() {
      return server.url;
    },
    token,
    workspace,
    ask: (message, { options, ...more } = {}) => ({
      message,
      ...more,
      options: {
        agent: "claude",
        agent_command: [process.execPath, commanded],
        approve: "auto",
        workspace,
        ...options,
      },
    }),
    async connect() {
      const client = await connect(server.url, token);
      clients.push(client);
      return client;
    },
    async get(target) {
      const answer = await fetch(server.url + target, { headers });
      return (await answer.json()) as Record<string, unknown>;
    },
    post: (target, body) => fetch(server.url + target, { method: "POST", headers, body: JSON.stringify(body) }),
    stop: () => server.stop(),
    async restart() {
      await server.stop();
      server = await startServer(directory);
    },
    async remove() {
      for (const client of clients) client.close();
      const { data: runs = [] } = (await this.get("/v1/runs?limit=200")) as {
        data?: { run_id: string; status: string }[];
      };
      // A run of an agent outlives the server.
      for (const { run_id, status } of runs)
        if (status === "running" || status === "queued") await this.post(`/v1/runs/${run_id}/cancel?wait=20`, {});
      await server.stop();
      await processesGone(home);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
