import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { logExists, openLog } from "../../src/log/open.ts";
import { bin, hasTerminal } from "../cli/process.ts";
import { allGone } from "../process/pids.ts";
import { type ServerProcess, startServer } from "../server/server-process.ts";

const programs = fileURLToPath(new URL("../cli/programs/", import.meta.url));

/** Where a run is executed, and how it is told what to do. */
export interface Column {
  /** `terminal`: no server; `through a server`: recorded by it; `detached`: a process that the server starts for a task. */
  place: "terminal" | "through a server" | "detached";
  by: "the command line" | "HTTP";
}

export const columns: readonly Column[] = [
  ...(hasTerminal ? ([{ place: "terminal", by: "the command line" }] as const) : []),
  { place: "through a server", by: "the command line" },
  { place: "through a server", by: "HTTP" },
  { place: "detached", by: "the command line" },
  { place: "detached", by: "HTTP" },
];

export interface Told {
  /** Whether the command was carried out. */
  isDone: boolean;
  /** What the sender reads: the printed text, or the body of the answer. */
  text: string;
  /** The status of the HTTP answer. */
  status?: number;
}

/** A data directory with a workspace, and a server if asked for. */
export async function createSite(hasServer: boolean) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-places-")));
  const [data, cwd] = [path.join(home, "data"), path.join(home, "workspace")];
  mkdirSync(cwd);
  const env = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: data };
  const server: ServerProcess | undefined = hasServer ? await startServer(data) : undefined;
  const logs: Log[] = [];
  const ends: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const end of ends) await end();
    await executorsGone(data);
    for (const log of logs) await log.close();
    await server?.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Runs a command of `spoor` to its end. */
  async function spoor(...args: string[]): Promise<{ code: number | null; text: string }> {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
    }
    const [code] = (await once(child, "close")) as [number | null];
    return { code, text };
  }

  async function request(method: string, target: string, body?: object, headers: object = {}) {
    const token = readFileSync(path.join(data, "token"), "utf8").trim();
    const response = await fetch(`${server?.url}${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** The log as another process sees it. */
  async function open(): Promise<Log> {
    await vi.waitFor(() => existing(data), { timeout: 30_000 });
    const log = await openLog({ directory: data });
    logs.push(log);
    return log;
  }

  const runArguments = (agent: string, program: string, prompt: string): string[] => {
    const command = `"${process.execPath}" "${path.join(programs, program)}"`;
    return ["run", agent, prompt, "--command", command];
  };

  /** Starts `spoor run` in a pseudo-terminal, or without one if a server can be asked. */
  function run(agent: string, program: string, prompt: string, ...more: string[]) {
    const args = [...runArguments(agent, program, prompt), ...more];
    return server ? start(process.execPath, [bin, ...args], "ignore") : onTerminal(...args);
  }

  /** Starts a command of `spoor` in a pseudo-terminal. */
  function onTerminal(...args: string[]) {
    const line = [process.execPath, bin, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    return start("script", ["-qefc", `exec ${line}`, "/dev/null"], "pipe");
  }

  /** Starts a program that the end of the test kills. */
  function start(command: string, args: readonly string[], stdin: "ignore" | "pipe") {
    const child = spawn(command, args, { cwd, env, stdio: [stdin, "pipe", "pipe"] });
    const output = { text: "" };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk) => {
        output.text += chunk;
      });
    }
    const exited = once(child, "close").then(([code]) => code as number | null);
    ends.push(async () => {
      child.kill("SIGKILL");
      await exited;
    });
    /** Waits until this was printed since the last time. */
    let seen = 0;
    const printed = (pattern: RegExp): Promise<string> =>
      vi.waitFor(
        () => {
          const found = pattern.exec(output.text.slice(seen));
          if (!found) throw new Error(`${pattern} was not printed: ${output.text}`);
          seen += found.index + found[0].length;
          return found[0];
        },
        { timeout: 30_000 },
      );
    return { child, output, exited, printed, type: (text: string) => child.stdin?.write(text) };
  }

  return { home, data, cwd, env, server, spoor, request, open, run, runArguments, onTerminal, start };
}

/** A fake agent and what it is asked to do. */
export interface FakeAgent {
  agent?: string;
  program?: string;
  prompt: string;
  approve?: string;
  dialect?: string;
  /** More fields of the task, if it is detached. */
  task?: object;
}

export type Site = Awaited<ReturnType<typeof createSite>>;

/** Waits until no process performs a run any more: it would still write into the data directory. */
async function executorsGone(data: string): Promise<void> {
  if (!logExists(data)) return;
  const log = await openLog({ directory: data });
  const { runs } = await log.runs({ limit: 100 });
  await log.close();
  const pids = runs.flatMap(({ worker_id }) => (worker_id === undefined ? [] : [Number(worker_id.split("/")[2])]));
  if (pids.length > 0) await allGone(pids);
}

function existing(data: string): void {
  if (!logExists(data)) throw new Error("Nothing is recorded yet.");
}

/** Starts a fake agent in one of the places. Returns its run and ways to tell it something. */
export async function startIn(
  { place, by }: Column,
  { agent = "claude", program = "commanded-claude.mjs", prompt, approve = "ask", dialect, task: more }: FakeAgent,
) {
  const site = await createSite(place !== "terminal");
  const { data, cwd, spoor, request, open } = site;
  let terminal: ReturnType<Site["run"]> | undefined;
  if (place === "detached") {
    const task = {
      ...{ agent, prompt, approve, start: true, workspace: { path: cwd } },
      ...(dialect !== undefined && { dialect }),
      ...more,
      agent_command: [process.execPath, path.join(programs, program)],
    };
    const made = await request("POST", "/v1/tasks", task);
    if (made.status >= 300) throw new Error(made.text);
  } else {
    const flags = ["--approve", approve, ...(dialect === undefined ? [] : ["--dialect", dialect])];
    terminal = site.run(agent, program, prompt, ...flags);
  }
  const log = await open();
  const run_id = await vi.waitFor(
    async () => {
      const [run] = (await log.runs({ limit: 1 })).runs;
      if (run?.native_session_id === undefined)
        throw new Error(`The session has not started. ${terminal?.output.text}`);
      return run.run_id;
    },
    { timeout: 60_000, interval: 50 },
  );

  /** Sends a command as this column does. `text` is what the agent gets, `reason` why. */
  async function tell(
    kind: string,
    { text, reason, id = run_id, key }: { text?: string; reason?: string; id?: string; key?: string } = {},
  ): Promise<Told> {
    if (by === "the command line") {
      const words = [...(text === undefined ? [] : [text]), ...(reason === undefined ? [] : ["-m", reason])];
      const { code, text: printed } = await spoor(kind, id, ...words);
      return { isDone: code === 0, text: printed };
    }
    const headers = key === undefined ? {} : { "Idempotency-Key": key };
    const { status, text: answered } = await request(...httpOf(kind, { text, reason, id, run_id }), headers);
    return { isDone: status === 200, text: answered, status };
  }

  const pids = (): Promise<number[]> =>
    vi.waitFor(
      () => {
        if (!existsSync(path.join(cwd, "pids"))) throw new Error("The agent has started no processes.");
        return JSON.parse(readFileSync(path.join(cwd, "pids"), "utf8")) as number[];
      },
      { timeout: 30_000 },
    );

  return { ...site, log, run_id, tell, pids, terminal, data };
}

/** The request that sends a command. */
function httpOf(
  kind: string,
  { text, reason, id, run_id }: { text?: string | undefined; reason?: string | undefined; id: string; run_id: string },
): [string, string, object] {
  const decision = { approve: "approve", deny: "reject" }[kind];
  if (decision !== undefined)
    return ["POST", `/v1/approvals/${id}/resolve`, { decision, ...(reason && { comment: reason }) }];
  const route = `/v1/runs/${run_id}/${kind === "answer" ? "send" : kind}?wait=20`;
  return [
    "POST",
    route,
    { ...(text && { text }), ...(reason && { reason }), ...(kind === "answer" && { interaction_id: id }) },
  ];
}
