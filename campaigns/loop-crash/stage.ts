import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TaskSpec } from "../../packages/spoor/src/runtime/specification/spec.ts";
import { EFFECTS, Stage } from "../crash/stage.ts";
import { type LoopCell, rowOf } from "./matrix.ts";
import { ScriptedModel } from "./model-server.ts";
import { PROMPT } from "./script.ts";

const notes = fileURLToPath(new URL("./programs/noting-server.mjs", import.meta.url));

/** Tokens that fit into a request: less than what the command of the step `long` prints. */
const CONTEXT_TOKENS = 18_000;

/** A stage with a scripted model. Commands of the loop see only the workspace, so the gates are inside it. */
export class LoopStage extends Stage {
  override readonly gates: string = join(this.workspace, "gates");
  readonly model: ScriptedModel;
  readonly cell: LoopCell;
  /** How many requests were held against their events. */
  rebuilt = 0;
  kills = 0;

  private constructor(cell: LoopCell, model: ScriptedModel) {
    super();
    this.cell = cell;
    this.model = model;
    mkdirSync(this.gates);
    const hook = `touch '${this.gates}/at-gate'; until [ -e '${this.gates}/go-gate' ]; do sleep 0.02; done`;
    this.#configure(this.data, "", cell.phase === "gate" && { hooks: { PreToolUse: [{ command: hook }] } });
    this.#configure(join(this.home, "rebuilding"), "/rebuilt", false);
    Object.assign(this.environment, this.#variables(""));
    writeFileSync(this.serversFile, JSON.stringify({ mcpServers: { notes: this.#server } }));
  }

  static async open(cell: LoopCell): Promise<LoopStage> {
    return new LoopStage(cell, await ScriptedModel.start(cell, rowOf(cell.phase).hold));
  }

  get modelName(): string {
    return this.cell.wire === "chat" ? "scripted/model-1" : "anthropic/claude-sonnet-4-5";
  }

  /** The environment in which the same model sends its requests to where they are only looked at. */
  get rebuilding(): NodeJS.ProcessEnv {
    return { SPOOR_HOME: join(this.home, "rebuilding"), ...this.#variables("/rebuilt") };
  }

  /** What the task of the cell asks for. */
  get spec(): TaskSpec {
    const { asks, steps } = rowOf(this.cell.phase);
    return {
      ...{ kind: "agent_loop", prompt: PROMPT, model: this.modelName, workspace: { path: this.workspace } },
      approve: asks ? "ask" : "yolo",
      ...(steps === "mcp" && { mcp_servers: [{ name: "notes", ...this.#server }] }),
    };
  }

  /** The command line for the same. */
  get commandLine(): string[] {
    const { asks, steps } = rowOf(this.cell.phase);
    const servers = steps === "mcp" ? ["--mcp", this.serversFile] : [];
    const options = ["--model", this.modelName, "--approve", asks ? "ask" : "yolo", "--cwd", this.workspace];
    return ["run", "loop", PROMPT, ...options, ...servers];
  }

  /** What stands in the workspace beside what the calls wrote. */
  foreignFiles = (): string[] => readdirSync(this.workspace).filter((name) => name !== EFFECTS && name !== "gates");

  override async close(): Promise<void> {
    await this.model.close();
    await super.close();
  }

  get serversFile(): string {
    return join(this.home, "servers.json");
  }

  get #server() {
    return { command: process.execPath, args: [notes, this.workspace] };
  }

  #variables = (path: string): Record<string, string> => ({
    ANTHROPIC_API_KEY: "not-a-key",
    ANTHROPIC_BASE_URL: `${this.model.url}${path}`,
  });

  #configure(folder: string, path: string, more: object | false): void {
    const limits = this.cell.phase === "compacting" ? { contextTokens: CONTEXT_TOKENS } : {};
    const providers = { scripted: { baseUrl: `${this.model.url}${path}/v1`, ...limits } };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.json"), JSON.stringify({ providers, ...more }));
  }
}
