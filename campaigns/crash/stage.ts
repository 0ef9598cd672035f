import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unprefixed } from "../../packages/protocol/src/envelope/ids.ts";
import type { Envelope } from "../../packages/protocol/src/index.ts";
import { readEnvelopes } from "../../packages/spoor/src/log/envelopes.ts";
import type { Log } from "../../packages/spoor/src/log/log.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import type { StoredRun } from "../../packages/spoor/src/log/records.ts";
import { killMarked } from "../../packages/spoor/src/process/kill-marked.ts";
import { createWorkerCheck } from "../../packages/spoor/src/runtime/worker.ts";

const bin = fileURLToPath(new URL("../../packages/spoor/bin/spoor.js", import.meta.url));
const agent = fileURLToPath(new URL("../../packages/spoor/testing/cli/programs/stepping-claude.mjs", import.meta.url));
const loopWorker = fileURLToPath(new URL("./programs/loop-worker.ts", import.meta.url));
/** How long anything may take before it counts as a broken promise. */
const PATIENCE_MS = 90_000;

/** The effects of a run are lines of this file in its workspace. */
export const EFFECTS = "effects";

/** A data directory, a workspace and the processes of one case. Everything is removed at the end. */
export class Stage {
  readonly home: string = realpathSync(mkdtempSync(join(tmpdir(), "spoor-crash-")));
  readonly data: string = join(this.home, "data");
  readonly workspace: string = join(this.home, "workspace");
  readonly gates: string = join(this.home, "gates");
  readonly log: Log;
  /** Further variables of the processes. */
  readonly environment: Record<string, string> = {};
  readonly #children = new Set<ChildProcess>();
  server: { child: ChildProcess; url: string } | undefined;
  /** What performs runs where no server does. */
  worker: ChildProcess | undefined;
  /** What processes wrote to standard error, to explain a failure. */
  errors = "";

  constructor() {
    for (const folder of [this.workspace, this.gates]) mkdirSync(folder);
    this.log = openLogSync({ directory: this.data, pollMs: 5 });
  }

  get agentCommand(): string[] {
    return [process.execPath, agent, this.gates];
  }

  /** Starts `spoor` with these arguments. */
  start(argv: readonly string[], { terminal = false } = {}): ChildProcess {
    const words = [process.execPath, bin, ...argv, "--data", this.data];
    const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    return terminal ? this.spawn(["script", "-qefc", `exec ${line}`, "/dev/null"]) : this.spawn(words);
  }

  startLoopWorker(): ChildProcess {
    return this.spawn([process.execPath, "--conditions=spoor-source", loopWorker, this.data, this.gates]);
  }

  /** Runs `spoor` to its end and returns its exit code. */
  async spoor(argv: readonly string[]): Promise<number | null> {
    const child = this.start(argv);
    child.stdout?.resume();
    await ended(child);
    return child.exitCode;
  }

  async serve(workers = 4): Promise<void> {
    const child = this.start(["serve", "--port", "0", "--json", "--workers", String(workers)]);
    const line = await firstLine(child);
    if (line === undefined) throw new Error(`The server did not start: ${this.errors.slice(-500)}`);
    this.server = { child, url: (JSON.parse(line) as { url: string }).url };
  }

  /** Asks the server. The answer is undefined if it was killed meanwhile. */
  async post(path: string, body: object = {}, headers: Record<string, string> = {}) {
    const token = readFileSync(join(this.data, "token"), "utf8").trim();
    try {
      const response = await fetch(`${this.server?.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as { data?: Record<string, unknown> } };
    } catch {
      return undefined;
    }
  }

  async kill(child: ChildProcess | undefined): Promise<void> {
    if (!child) throw new Error("There is nothing to kill.");
    child.kill("SIGKILL");
    await ended(child);
  }

  open(...gates: readonly string[]): void {
    for (const gate of gates) writeFileSync(join(this.gates, `go-${gate}`), "");
  }

  atGate = (gate: string): Promise<void> =>
    this.until(`gate ${gate}`, () => existsSync(join(this.gates, `at-${gate}`)));

  async until(what: string, isTrue: () => unknown): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !(await isTrue()); await sleep(3)) {
      if (Date.now() > end) throw new Error(`Waited in vain for ${what}.${this.#said()}`);
    }
  }

  #said = (): string => (this.errors === "" ? "" : ` Processes said: ${this.errors.slice(-500)}`);

  async run(run_id: string): Promise<StoredRun> {
    const run = await this.log.run(run_id);
    if (!run) throw new Error(`The run ${run_id} is gone.`);
    return run;
  }

  async events(run_id: string): Promise<Envelope[]> {
    const found: Envelope[] = [];
    for await (const envelope of readEnvelopes(this.log, { run_id })) found.push(envelope);
    return found;
  }

  untilEvent = (run_id: string, type: string, count = 1): Promise<void> =>
    this.until(
      type,
      async () => (await this.events(run_id)).filter((envelope) => envelope.type === type).length >= count,
    );

  /** The lines that the calls of the run wrote. */
  effects(): string[] {
    const file = join(this.workspace, EFFECTS);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  }

  /** The process that performs the run. */
  async executorOf(run_id: string): Promise<number> {
    const { worker_id = "" } = await this.run(run_id);
    return Number(decodeURIComponent(worker_id).split("/").at(2));
  }

  async killExecutor(run_id: string): Promise<void> {
    const { worker_id = "" } = await this.run(run_id);
    signal(await this.executorOf(run_id), "SIGKILL");
    await this.until("the end of the executor", () => createWorkerCheck()(worker_id) !== false);
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      child.kill("SIGKILL");
      await ended(child);
    }
    const { runs } = await this.log.runs({ limit: 5 });
    for (const run of runs) {
      const isAlive = run.worker_id !== undefined && createWorkerCheck()(run.worker_id) === false;
      const executor = await this.executorOf(run.run_id);
      if (isAlive && executor !== process.pid) signal(executor, "SIGKILL");
      killMarked(unprefixed("run", run.run_id));
    }
    await this.log.close();
    // An executor that was just started may still write.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  spawn([program = "", ...args]: readonly string[]): ChildProcess {
    const env = { PATH: process.env.PATH, HOME: this.home, SPOOR_HOME: this.data, ...this.environment };
    const child = spawn(program, args, { cwd: this.workspace, env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin?.on("error", () => {});
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      this.errors += text;
    });
    this.#children.add(child);
    return child;
  }
}

/** The first line that a process prints; undefined if it prints none. */
export async function firstLine(child: ChildProcess): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  if (!child.stdout) return undefined;
  createInterface({ input: child.stdout })
    .on("line", resolve)
    .on("close", () => resolve(undefined));
  return promise;
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 1) process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}

export const ended = async (child: ChildProcess): Promise<unknown> =>
  (child.exitCode ?? child.signalCode) === null && once(child, "exit");
