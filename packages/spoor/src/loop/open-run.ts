import { realpathSync } from "node:fs";
import type { Envelope } from "@spoor/protocol";
import { readEnvelopes } from "../log/envelopes.ts";
import { BudgetMeter } from "../run/budget-meter.ts";
import { CommandReceiver } from "../runtime/commands/receive.ts";
import type { Execution, Executor } from "../runtime/queue/executor.ts";
import { LoopControl } from "./control.ts";
import { Conversation } from "./conversation.ts";
import { CallGate } from "./gate.ts";
import { systemPrompt } from "./instructions.ts";
import { type LoopRun, readOn } from "./loop-run.ts";
import type { McpConnections } from "./mcp/index.ts";
import type { LoopOptions } from "./options.ts";
import { findModel, loadModelPrices, modelFailureOf } from "./providers/index.ts";
import { LoopRecord } from "./record.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { settleSubagents, subagentTools } from "./subagents/index.ts";
import { loopTools } from "./tools/index.ts";
import type { LoopTool } from "./tools/tool.ts";

/** A run that is open, and what ends with it. */
export interface OpenRun {
  run: LoopRun;
  mcp: McpConnections;
  receiver: CommandReceiver;
}

/** Opens a run: reads what is stored of it, finds its model and tools, and takes commands from now on. */
export async function openRun(execution: Execution, options: LoopOptions, executor: Executor): Promise<OpenRun> {
  const { log, claim, spec } = execution;
  const { environment = process.env } = options;
  const root = realpathSync(claim.run.workspace_path ?? process.cwd());
  const stored: Envelope[] = [];
  for await (const envelope of readEnvelopes(log, { run_id: claim.run.run_id })) stored.push(envelope);
  const model = await (options.findModel ?? findModel)(spec.model ?? "", environment);
  const estimate = await (options.loadPrices ?? loadModelPrices)(model);
  const budget =
    spec.budget_micros_usd === undefined
      ? undefined
      : new BudgetMeter({ micros: spec.budget_micros_usd, advisory: spec.budget_advisory === true });
  const conversation = new Conversation();
  const record = await LoopRecord.open({
    ...{ execution, environment, stored, cwd: root, model: model.name, estimate, budget },
    name: options.name ?? "worker",
    prompt: typeof spec.prompt === "string" ? spec.prompt : (spec.prompt ?? []).join("\n\n"),
  });
  const requireModel = (name: string) => (options.findModel ?? findModel)(name, environment);
  const subagents = await subagentTools(execution, executor, { record, budget, requireModel });
  const tools = [...(options.tools ?? loopTools)(), ...subagents];
  const { control, receiver } = openControl(execution, record);
  const place = { root, environment };
  const openSandbox = () => (options.openSandbox ?? noSandbox)(root);
  const gate = await CallGate.open({ execution, record, place, openSandbox });
  let mcp = noServers;
  const run: LoopRun = {
    ...{ execution, environment, root, record, conversation, control, model, estimate, budget },
    /** MCP servers may offer other tools from one turn to the next. */
    get tools() {
      return new Map([...tools, ...mcp.tools()].map((tool) => [tool.name, tool]));
    },
    gate,
    system: systemPrompt(root, textOf(spec.system_prompt), spec.system_prompt_mode),
    signal: AbortSignal.any([execution.signal, control.signal]),
    failureOf: options.failureOf ?? modelFailureOf,
    backoffMs: options.backoffMs ?? ((attempt) => Math.min(30_000, 1_000 * 2 ** (attempt - 1))),
    isSpent: () => budget !== undefined && !budget.budget.advisory && budget.spent >= budget.budget.micros,
    failures: 0,
  };
  await readOn(run);
  if (!conversation.hasSession) record.tell([{ kind: "session", id: claim.run.session_id ?? claim.run.run_id }]);
  await readOn(run);
  await settleSubagents(run);
  mcp = await connectServers(run, tools);
  return { run, receiver, mcp };
}

const noServers: McpConnections = { tools: () => [], close: async () => {} };

async function connectServers(run: LoopRun, tools: readonly LoopTool[]): Promise<McpConnections> {
  const { execution, environment, root, record, signal } = run;
  const { spec, log, directory, claim } = execution;
  if (!Array.isArray(spec.mcp_servers) || spec.mcp_servers.length === 0) return noServers;
  const { connectMcp } = await import("./mcp/index.ts");
  return connectMcp(spec, {
    ...{ run_id: claim.run.run_id, log, directory, root, environment, signal },
    ownTools: new Set(tools.map(({ name }) => name)),
    controls: (processes) => execution.controls(processes),
    tell({ signals = [], events = [] }) {
      if (execution.signal.aborted || record.isOver) return;
      if (signals.length > 0) record.tell(signals);
      record.own(events);
    },
  });
}

function openControl(execution: Execution, record: LoopRecord) {
  const control = new LoopControl((text) => {
    const input = { via: "send", text } as const;
    const command = receiver.commandOf(input);
    return { text, write: () => record.recorder.onUserInput(input, command) };
  });
  const { log, claim } = execution;
  const { run_id } = claim.run;
  const receiver = new CommandReceiver({ log, control, recorder: record.recorder, mainRun: () => run_id });
  receiver.watch(run_id);
  return { control, receiver };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const noSandbox = async (): Promise<Sandbox> => ({
  ...{ layer: "none", asks: true },
  wrap() {
    throw new Error("There is no sandbox.");
  },
  close() {},
});
