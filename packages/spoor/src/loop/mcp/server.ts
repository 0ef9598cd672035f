import { randomUUID } from "node:crypto";
import type { Log } from "../../log/log.ts";
import { scrubEnvironment } from "../../process/environment.ts";
import { serversApprovedFor } from "../../runtime/policy/mcp-approvals.ts";
import { type GivenServer, launchHash, launchLines, launchOf, serverFolder } from "../../runtime/policy/mcp-server.ts";
import { type ApprovedServer, approveServer, findServer } from "../../runtime/policy/mcp-trust.ts";
import type { ProcessControls } from "../../runtime/queue/executor.ts";
import { type TaskSpec, withVariables } from "../../runtime/specification/spec.ts";
import type { LoopTool, ToolContext } from "../tools/tool.ts";
import type { Connection } from "./connection.ts";
import type { Definition } from "./definitions.ts";
import { CONNECT_MS, MAX_NOTES } from "./limits.ts";
import { serverNameProblem } from "./names.ts";
import type { ServerTrust } from "./trust.ts";

/** Where the servers of a run are used. */
export interface McpPlace {
  readonly run_id: string;
  readonly log: Log;
  /** The data directory, which holds what the user approved. */
  readonly directory: string;
  /** The real path of the workspace, in which servers are started. */
  readonly root: string;
  /** The environment of Spoor, for `$NAME`. A server sees only what programs need, and what its entry sets. */
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts when the run stops. */
  readonly signal: AbortSignal;
  /** Names of the loop's own tools, which no server may take. */
  readonly ownTools: ReadonlySet<string>;
  /** Names the processes of the servers, so that they can be paused and killed. */
  controls(processes: ProcessControls): void;
  /** Tells what happens with the servers: `error.tool_unavailable`, and notes for people who look for a fault. */
  readonly tell: ToolContext["tell"];
  /** How long a server may take until its tools are known. */
  readonly connectMs?: number;
}

/** One server of a run. */
export class Server {
  readonly #given: GivenServer;
  readonly #spec: TaskSpec;
  readonly #place: McpPlace;
  readonly #isAutomatic: boolean;
  #connection: Connection | undefined;
  #trust: ServerTrust | undefined;
  #definitions: readonly Definition[] = [];
  #makeTool: ((definition: Definition) => LoopTool) | undefined;
  #isOver = false;
  #notes = 0;
  /** The first remarks, which explain why a server did not start. */
  readonly #first: string[] = [];

  constructor(given: GivenServer, spec: TaskSpec, place: McpPlace) {
    this.#given = given;
    this.#spec = spec;
    this.#place = place;
    this.#isAutomatic = spec.approve === "auto" || spec.approve === "yolo";
  }

  async open(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      this.#isOver = true;
      const said = this.#first.length === 0 ? "" : ` It said: ${this.#first.join(" ⏎ ")}`;
      this.#unavailable(`${(error as Error).message}${said}`);
    }
  }

  tools(): readonly LoopTool[] {
    if (this.#isOver || !this.#makeTool) return [];
    // What was approved meanwhile changes what the model reads, so the tools are made anew.
    return this.#definitions.map(this.#makeTool);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { directory, root, signal, connectMs = CONNECT_MS } = this.#place;
    const { name, timeout: callMs } = this.#given;
    const problem = serverNameProblem(name);
    if (problem !== undefined) throw new Error(problem);
    const launch = launchOf(this.#given, serverFolder(this.#spec.workspace, root));
    const sha256 = launchHash(launch);
    if (!(await this.#mayStart({ name, sha256, launch })))
      throw new Error(
        `Nobody approved this server, so it was not started (${launchLines(launch).join(", ")}). ` +
          "Start the task again with `approve: ask`, and approve it.",
      );
    const [{ openConnection }, { openTrust }, { serverTool }, transport] = await Promise.all([
      import("./connection.ts"),
      import("./trust.ts"),
      import("./server-tool.ts"),
      this.#transport(),
    ]);
    const trust = openTrust(directory, { name, sha256, launch }, this.#isAutomatic);
    const connection = await openConnection({
      ...{ name, transport, connectMs, callMs, root, signal },
      onNote: (message) => this.#note(message),
      onTools: (definitions) => this.#offer(definitions),
      onEnd: (reason) => this.#end(reason),
    });
    trust.pin(this.#definitions);
    this.#connection = connection;
    this.#trust = trust;
    const isAutomatic = this.#isAutomatic;
    this.#makeTool = (definition) =>
      serverTool({
        server: name,
        definition,
        connection,
        trust,
        isAutomatic,
        isReadOnly: this.#isReadOnly(definition),
      });
    this.#tellDifferences();
  }

  /** The transport gets the values of variables, which are stored nowhere. */
  async #transport() {
    const { environment, root, controls } = this.#place;
    const server = withVariables(this.#given, `mcp_servers.${this.#given.name}`, environment) as GivenServer;
    if ("url" in server) {
      if (server.transport !== "streamable-http")
        throw new Error("The loop speaks with MCP servers over stdio and streamable HTTP, not over SSE.");
      const { createHttpTransport } = await import("./http-transport.ts");
      return createHttpTransport(server.url, server.headers ?? {});
    }
    const { StdioTransport } = await import("./stdio-transport.ts");
    const { command, args, env = {} } = server;
    return new StdioTransport({
      ...{ command, args, cwd: root, controls },
      env: scrubEnvironment(environment, { set: env }),
      // One of its own for each server: whoever has the same mark ends with it.
      mark: `mcp-${randomUUID()}`,
      onLine: (line) => this.#note(line),
    });
  }

  /** Whether the user approved the command or address, before or for this run. It is not asked about again from then on. */
  async #mayStart(server: Pick<ApprovedServer, "name" | "sha256" | "launch">): Promise<boolean> {
    const { directory, log, run_id } = this.#place;
    const { name, sha256 } = server;
    if (this.#isAutomatic || findServer(directory, name, sha256)) return true;
    const named = await serversApprovedFor(log, run_id);
    if (!named.some((one) => one.name === name && one.sha256 === sha256)) return false;
    approveServer(directory, { approved_at: new Date().toISOString(), ...server });
    return true;
  }

  #isReadOnly({ tool }: Definition): boolean {
    const { readonly = false } = this.#given;
    return typeof readonly === "boolean" ? readonly : readonly.includes(tool);
  }

  #offer(definitions: readonly Definition[]): void {
    this.#definitions = definitions.toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
    if (this.#trust) this.#tellDifferences();
  }

  #tellDifferences(): void {
    for (const definition of this.#definitions) {
      const reason = this.#trust?.differenceOf(definition)?.reason;
      if (reason !== undefined) this.#note(`${reason} A call of it asks again.`, "warn");
    }
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unavailable(`${reason} The run goes on without it.`);
  }

  #unavailable(reason: string): void {
    this.#place.tell({ events: [unavailable(this.#given.name, reason)] });
  }

  #note(text: string, level: "verbose" | "warn" = "verbose"): void {
    const line = text.length > 2_000 ? `${text.slice(0, 2_000).toWellFormed()}…` : text;
    if (this.#first.length < 3) this.#first.push(line);
    this.#notes += 1;
    if (this.#notes > MAX_NOTES) return;
    const rest = this.#notes === MAX_NOTES ? " (Further remarks of this server are left out.)" : "";
    this.#place.tell({ signals: [{ kind: "note", level, message: `MCP server ${this.#given.name}: ${line}${rest}` }] });
  }
}

/** Tells that a server cannot be used. */
export const unavailable = (server: string, reason: string) =>
  ["error.tool_unavailable", { tool_name: `mcp__${server}`, reason: `MCP server ${server}: ${reason}` }] as const;
