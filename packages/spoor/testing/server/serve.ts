import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createUlidSource, prefixed } from "@spoor/protocol";
import { onTestFinished } from "vitest";
import type { AppendReceipt, Log, LogDraft } from "../../src/log/log.ts";
import { openLogSync } from "../../src/log/open.ts";
import { createServer, type ServerOptions, type SpoorServer } from "../../src/server/server.ts";

export const TOKEN = "a-token-that-is-only-for-tests";

export interface Served {
  log: Log;
  server: SpoorServer;
  directory: string;
  /** Sends a request with the token. */
  get(target: string, headers?: Record<string, string>): Promise<Response>;
  post(target: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Starts a server on a new log; both are closed when the test ends. */
export async function serve(options: Partial<ServerOptions> = {}): Promise<Served> {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-server-"));
  const log = openLogSync({ directory, durability: "process" });
  const server = await createServer({ log, token: TOKEN, linger: 50, ...options });
  onTestFinished(async () => {
    await server.close(0);
    await log.close();
    await rm(directory, { recursive: true });
  });
  const authorization = `Bearer ${TOKEN}`;
  return {
    log,
    server,
    directory,
    get: (target, headers = {}) => fetch(server.url + target, { headers: { authorization, ...headers } }),
    post: (target, body, headers = {}) =>
      fetch(server.url + target, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

const ulid = createUlidSource();

export interface TestRun {
  run_id: string;
  task_id: string;
  /** Appends events; a number stands for that many deltas. */
  add(...events: (number | LogDraft | string)[]): Promise<AppendReceipt>;
  /** Appends the terminal event. */
  finish(): Promise<AppendReceipt>;
}

/** Starts a run with the given number of events: `run.created`, then deltas. */
export async function startRun(log: Log, events = 1, agent = "claude"): Promise<TestRun> {
  const run_id = prefixed("run", ulid());
  const task_id = prefixed("task", ulid());
  const append = async (drafts: LogDraft[], more: object = {}): Promise<AppendReceipt> => {
    const [receipt] = await log.append([{ run_id, epoch: 1, drafts, ...more }]);
    return receipt as AppendReceipt;
  };
  await append([draft("run.created", { agent, kind: "agent" }), ...deltas(events - 1)], {
    create: { task_id, agent, kind: "agent" },
    facts: { status: "running" },
  });
  return {
    run_id,
    task_id,
    add: (...added) =>
      append(
        added.flatMap((one) => {
          if (typeof one === "number") return deltas(one);
          return typeof one === "string" ? [draft(one)] : [one];
        }),
      ),
    finish: () => append([draft("run.finished", {})], { facts: { status: "completed", ended_at: Date.now() } }),
  };
}

export const draft = (type: string, data: object = {}): LogDraft => ({
  type,
  timestamp: Date.now(),
  json: JSON.stringify(data),
});

const deltas = (count: number): LogDraft[] =>
  Array.from({ length: count }, (_, index) =>
    draft("assistant.text_delta", { turn_index: 1, block_index: 0, delta: `piece ${index} ☃\u2028` }),
  );

/** All stored envelopes of a run as text. */
export async function stored(log: Log, run_id: string): Promise<string> {
  const texts: string[] = [];
  for (let after = -1, more = true; more; ) {
    const page = await log.read(run_id, { after });
    texts.push(...page.pieces.map(({ bytes }) => bytes.toString()));
    after = page.next;
    more = page.more;
  }
  return texts.join("");
}
