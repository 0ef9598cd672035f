import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startBeside } from "../beside.ts";
import type { Cli } from "../cli.ts";
import type { Script } from "../model-server/script.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { type Placed, place } from "../place.ts";
import { PROMPT, type Tools, toolsOf } from "../tools.ts";
import { type Ended, SpoorCommands, type Started } from "./commands.ts";
import { type HomeProcess, processesOf } from "./processes.ts";

/** An envelope, as far as scenarios read it. */
export interface StoredEvent {
  type: string;
  run_id: string;
  sequence: number;
  data: Record<string, unknown>;
}

/** A JSON object that a command or a route returned. */
export type Row = Record<string, unknown>;

interface HttpAnswer {
  status: number;
  body: Row;
}

/** What a stage is prepared with. */
export interface StageSetup {
  /** The model's part. */
  script(tools: Tools, cwd: string): Script;
  /** The lines of the user's `policy.rules`. */
  rules?: readonly string[];
  /** Fills the project before anything starts. */
  prepare?(cwd: string): Promise<void> | void;
}

/** A private home with a project, a scripted model, one agent, and the command `spoor` as separate processes. */
export class Stage {
  readonly agent: string;
  readonly tools: Tools;
  readonly home: string;
  /** The project, which is the user's own checkout. */
  readonly cwd: string;
  readonly data: string;
  readonly model: ModelServer;
  readonly #placed: Placed;
  readonly #commands: SpoorCommands;
  /** Process groups that outlive a run: the server, and the program beside the agent. */
  readonly #lasting = new Set<number>();
  readonly #ends: (() => Promise<unknown>)[] = [];
  #server: Started | undefined;
  #url = "";

  static async open(cli: Cli, { script, rules, prepare }: StageSetup): Promise<Stage> {
    const tools = toolsOf[cli.name];
    if (!tools) throw new Error(`conformance/tools.ts has no entry for ${cli.name}. Add one.`);
    const home = await mkdtemp(join(tmpdir(), `spoor-${cli.name}-`));
    const model = await startModelServer({ script: script(tools, join(home, "project")) });
    const placed = await place(cli, { url: model.url, home, port: cli.beside ? await freePort() : 0 });
    const stage = new Stage(cli.name, tools, home, model, placed);
    await mkdir(stage.data, { recursive: true, mode: 0o700 });
    if (rules) await writeFile(join(stage.data, "policy.rules"), `${rules.join("\n")}\n`);
    await prepare?.(stage.cwd);
    if (cli.beside) {
      stage.#ends.push(await startBeside(cli.beside, placed));
      for (const { group } of processesOf(home)) stage.#lasting.add(group);
    }
    return stage;
  }

  private constructor(agent: string, tools: Tools, home: string, model: ModelServer, placed: Placed) {
    this.agent = agent;
    this.tools = tools;
    this.home = home;
    this.cwd = placed.cwd;
    this.data = join(home, "data");
    this.model = model;
    this.#placed = placed;
    this.#commands = new SpoorCommands({ ...placed.env, SPOOR_HOME: this.data }, placed.cwd);
  }

  /** The agent's program with its first arguments. */
  get command(): string[] {
    return [this.#placed.command, ...this.#placed.first];
  }

  /** The arguments of `spoor run` for this agent. */
  runArguments(...flags: string[]): string[] {
    const command = this.command.map((word) => `"${word}"`).join(" ");
    return ["run", this.agent, PROMPT, "--command", command, "--timeout", "120", ...flags];
  }

  /** Runs a command to its end, without a terminal. */
  spoor(...argv: string[]): Promise<Ended> {
    return this.#commands.run(argv);
  }

  /** Runs a command, and a second one with what the first printed. */
  async pipe(first: readonly string[], second: readonly string[]): Promise<Ended> {
    const { stdout } = await this.#commands.run(first);
    return this.#commands.run(second, stdout);
  }

  /** Starts a command without a terminal. */
  start(...argv: string[]): Started {
    return this.#commands.start(argv);
  }

  /** Starts a command in a terminal of its own. */
  startOnTerminal(...argv: string[]): Started {
    return this.#commands.startOnTerminal(argv);
  }

  /** Starts `spoor serve`. */
  async serve(): Promise<void> {
    const server = this.start("serve", "--port", "0", "--json");
    this.#lasting.add(server.pid);
    this.#server = server;
    await this.until("the server listens", async () => server.printed().includes("\n"));
    this.#url = (JSON.parse(server.printed()) as { url: string }).url;
  }

  async stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    process.kill(server.pid, "SIGTERM");
    await server.ended;
  }

  /** Sends a request to the server. */
  async http(method: "GET" | "POST", path: string, body?: Row): Promise<HttpAnswer> {
    const token = (await readFile(join(this.data, "token"), "utf8")).trim();
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Row };
  }

  /** The JSON lines that a command prints. */
  async rows(...argv: string[]): Promise<Row[]> {
    const { code, stdout, stderr } = await this.spoor(...argv, "--json");
    if (code !== 0) throw new Error(`spoor ${argv.join(" ")} ended with ${code}: ${stderr}`);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Row);
  }

  /** The events of a run. */
  async events(run = "last"): Promise<StoredEvent[]> {
    return (await this.rows("events", run)) as unknown as StoredEvent[];
  }

  /** Waits until something is true. `test` may return what was waited for. */
  async until<T>(what: string, test: () => Promise<T | undefined | false>): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = await test();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > deadline) throw new Error(`It did not happen within ${PATIENCE_MS / 1000} s: ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** The processes of runs: those of this home that are neither the server nor beside the agent. */
  processes(): HomeProcess[] {
    return processesOf(this.home).filter(({ group }) => !this.#lasting.has(group));
  }

  /** All processes of this home, also those of the program beside the agent, which may run the agent's commands. */
  allProcesses(): HomeProcess[] {
    return processesOf(this.home);
  }

  /** Ends everything that still runs here, and removes the home. */
  async close(): Promise<void> {
    await this.stopServer();
    for (const end of this.#ends.reverse()) await end().catch(() => {});
    for (const { pid } of processesOf(this.home)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    await this.model.close();
    // Agents may still be writing files.
    await rm(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const PATIENCE_MS = 90_000;
