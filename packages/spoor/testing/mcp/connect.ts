import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Signal } from "../../src/agents/signal.ts";
import { connectMcp, type McpPlace } from "../../src/loop/mcp/index.ts";
import type { KeptContent, LoopTool, ToolContext, ToolResult } from "../../src/loop/tools/tool.ts";
import type { RunEvent } from "../../src/runtime/commit.ts";
import type { ProcessControls } from "../../src/runtime/queue/executor.ts";
import type { TaskSpec } from "../../src/runtime/specification/spec.ts";
import { temporaryLog } from "../runtime/temporary-log.ts";

/** The entry of a server of the tests that is started as a process. */
export const stdioServer = (name: string, options: object = {}, more: object = {}) => ({
  name,
  command: process.execPath,
  args: [fileURLToPath(new URL("stdio-server.ts", import.meta.url)), JSON.stringify(options)],
  ...more,
});

/** Connects servers as a run does, and notes what is told. The servers are disconnected after the test. */
export async function connect(
  servers: readonly object[],
  given: Partial<McpPlace> & { spec?: Partial<TaskSpec> } = {},
) {
  const { spec: more, ...rest } = given;
  const { log, directory } = given.log && given.directory ? (given as McpPlace) : temporaryLog();
  const signals: Signal[] = [];
  const events: RunEvent[] = [];
  const kept: KeptContent[] = [];
  const processes: ProcessControls[] = [];
  const tell: ToolContext["tell"] = (told) => {
    signals.push(...(told.signals ?? []));
    events.push(...(told.events ?? []));
  };
  const place: McpPlace = {
    run_id: "run_01K9ZC0000SP00R00000000000",
    log,
    directory,
    root: realpathSync(directory),
    environment: process.env,
    signal: new AbortController().signal,
    ownTools: new Set(),
    controls: (each) => processes.push(each),
    tell,
    ...rest,
  };
  const spec: TaskSpec = { kind: "agent_loop", approve: "auto", mcp_servers: servers, ...more };
  const connections = await connectMcp(spec, place);
  onTestFinished(() => connections.close());
  const toolOf = (name: string): LoopTool => {
    const tool = connections.tools().find((each) => each.name === name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    return tool;
  };
  const call = (name: string, input: object = {}, signal = new AbortController().signal): Promise<ToolResult> =>
    toolOf(name).run(input as never, {
      ...{ callId: "call-1", run_id: place.run_id, task_id: "task", log, directory, root: place.root },
      ...{ environment: place.environment, signal, tell, controls: place.controls },
      decide: unused,
      sandbox: unused,
      keep: async (content) => `art_${kept.push(content)}`,
    });
  const notes = () => signals.flatMap((signal) => (signal.kind === "note" ? [signal.message] : []));
  const unavailable = () => events.flatMap(([type, data]) => (type === "error.tool_unavailable" ? [data] : []));
  return { connections, call, toolOf, notes, unavailable, kept, processes, place, spec, log, directory };
}

const unused = (): never => {
  throw new Error("The tools of MCP servers do not use this.");
};
