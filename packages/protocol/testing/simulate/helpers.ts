import type { Stage } from "./stage.ts";

/** Concurrent MCP calls and subagents: each is started and ended once. */
export class SimulatedHelpers {
  readonly #stage: Stage;
  readonly #mcp = new Map<string, { server: string; toolName: string }>();
  readonly #subagents = new Set<string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get mcpIds(): string[] {
    return [...this.#mcp.keys()];
  }

  get subagentIds(): string[] {
    return [...this.#subagents];
  }

  startMcp(): void {
    const toolCallId = this.#stage.id("mcp");
    const call = { server: this.#stage.one(["files", "github"]), toolName: "read" };
    this.#mcp.set(toolCallId, call);
    this.#stage.emit("mcp_tool_call_start", { toolCallId, ...call, input: this.#stage.one<unknown>([{}, null, [1]]) });
  }

  endMcp(toolCallId: string): void {
    const call = this.#mcp.get(toolCallId);
    if (!call) return;
    this.#mcp.delete(toolCallId);
    const of = { toolCallId, ...call, ...this.#stage.maybe("durationMs", this.#stage.pick(999)) };
    if (this.#stage.pick(2) === 0) this.#stage.emit("mcp_tool_result", { ...of, output: this.#stage.word() });
    else {
      const protocol = this.#stage.maybe("protocol", this.#stage.pick(2) === 0);
      const outcome = this.#stage.maybe(
        "outcome",
        this.#stage.one(["failed", "cancelled", "timed_out", "blocked"] as const),
      );
      this.#stage.emit("mcp_tool_error", { ...of, error: this.#stage.word(), ...protocol, ...outcome });
    }
  }

  spawn(): void {
    const subagentId = this.#stage.id("sub");
    this.#subagents.add(subagentId);
    const childRunId = this.#stage.maybe("childRunId", "01K9ZC0000CH0000000000000A");
    this.#stage.emit("subagent_spawn", {
      subagentId,
      agentName: "explorer",
      prompt: this.#stage.word(),
      ...childRunId,
    });
  }

  endSubagent(subagentId: string): void {
    this.#subagents.delete(subagentId);
    const of = { subagentId, agentName: "explorer" };
    const cost = this.#stage.maybe("cost", this.#stage.cost());
    if (this.#stage.pick(2) === 0) this.#stage.emit("subagent_result", { ...of, summary: this.#stage.word(), ...cost });
    else this.#stage.emit("subagent_error", { ...of, error: this.#stage.word() });
  }
}
