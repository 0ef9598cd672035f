import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@spoor/protocol";
import { onTestFinished } from "vitest";
import type { StoredRun } from "../../src/log/records.ts";
import { type ServeOptions, serve } from "../../src/server/serving/serve.ts";
import { untilStatus } from "../runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../runtime/temporary-log.ts";

/** The program of the fake agent, for `agent_command`. */
export const fakeAgent = [process.execPath, fileURLToPath(new URL("../cli/programs/fake-claude.mjs", import.meta.url))];

export interface Answer {
  status: number;
  body: {
    object?: string;
    data: Record<string, unknown> & { run_id: string; task_id: string; latest_run_id: string };
    error: { code: string; message: string; conflict?: Record<string, unknown> };
  };
}

/** Serves a new data directory with workers, as `spoor serve` does, in this process. */
export async function serveTasks(options: ServeOptions = {}) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-tasks-")));
  const directory = path.join(home, "data");
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-workspace-")));
  const server = await serve({ directory, port: 0, workers: 4, ...options });
  onTestFinished(async () => {
    await server.close(0);
    for (const folder of [home, workspace]) rmSync(folder, { recursive: true, force: true });
  });
  const token = readFileSync(path.join(directory, "token"), "utf8").trim();
  const { log } = server;
  const ask = async (method: string, target: string, body?: unknown, headers: object = {}): Promise<Answer> => {
    const response = await fetch(server.url + target, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
  return {
    server,
    log,
    directory,
    workspace,
    ask,
    post: (target: string, body?: unknown, headers?: object) => ask("POST", target, body, headers),
    get: (target: string) => ask("GET", target),
    ended: (run_id: string): Promise<StoredRun> => untilStatus(log, run_id),
    events: (run_id: string): Promise<Envelope[]> => envelopesOf(log, run_id),
    types: async (run_id: string): Promise<string[]> => (await envelopesOf(log, run_id)).map(({ type }) => type),
    findings: (...run_ids: string[]): Promise<string[]> => findingsOf(log, run_ids),
  };
}
