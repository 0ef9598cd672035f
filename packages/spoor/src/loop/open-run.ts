import { realpathSync } from "node:fs";
import type { Envelope } from "@spoor/protocol";
import { readEnvelopes } from "../log/envelopes.ts";
import { BudgetMeter } from "../run/budget-meter.ts";
import { CommandReceiver } from "../runtime/commands/receive.ts";
import type { Execution, Executor } from "../runtime/queue/executor.ts";
import { beginningOf, type RunBeginning } from "./beginning.ts";
import { chooseModel } from "./choose-model.ts";
import { LoopControl } from "./control.ts";
import { Conversation } from "./conversation.ts";
import { CallGate } from "./gate.ts";
import {
  type Instruction,
  keepInstruction,
  readInstructions,
  storedInstructions,
  systemPrompt,
} from "./instructions.ts";
import { createStateReader, type LoopRun, readOn } from "./loop-run.ts";
import type { McpConnections } from "./mcp/index.ts";
import type { LoopOptions, SandboxPlace } from "./options.ts";
import { findModel, loadModelPrices, modelFailureOf } from "./providers/index.ts";
import { LoopRecord } from "./record.ts";
import { openSandbox, type Sandbox } from "./sandbox/index.ts";
import { sweepPlaceholders } from "./sandbox/placeholders.ts";
import { settleSubagents, subagentTools } from "./subagents/index.ts";
import { loopTools } from "./tools/index.ts";
import type { LoopTool } from "./tools/tool.ts";

/** A run that is open, and what receives its commands. */
export interface OpenRun {
  run: LoopRun;
  mcp: McpConnections;
  receiver: CommandReceiver;
  /** Ends the run when its time is over. */
  timer: NodeJS.Timeout | undefined;
}

/** Opens a run: reads what is stored of it, finds its model and its tools, and takes commands from now on. */
export async function openRun(execution: Execution, options: LoopOptions, executor: Executor): Promise<OpenRun> {
  const { log, claim, spec } = execution;
  const { environment = process.env, backoffMs = doubling, failureOf = modelFailureOf } = options;
  const root = realpathSync(claim.run.workspace_path ?? process.cwd());
  // A process that was killed while a command ran has left placeholders in its workspace.
  sweepPlaceholders(execution.directory);
  const stored: Envelope[] = [];
  for await (const envelope of readEnvelopes(log, { run_id: claim.run.run_id })) stored.push(envelope);
  const { name, rewrite } = chooseModel(execution, root, stored);
  const model = await (options.findModel ?? findModel)(name, environment);
  const estimate = await (options.loadPrices ?? loadModelPrices)(model);
  const budget = budgetOf(execution);
  const beginning = await beginningOf(execution, stored);
  const endsAt = endOf(execution, stored);
  const record = await LoopRecord.open({
    ...{ endsAt, execution, environment, stored, cwd: root, model: model.name, estimate, budget },
    ...{ name: options.name ?? "worker", prompt: beginning.prompt, rewrite },
  });
  const instructions = await begin(execution, record, { root, stored, beginning });
  const { control, receiver } = openControl(execution, record);
  try {
    const signal = AbortSignal.any([execution.signal, control.signal]);
    const place = { root, environment };
    const open = () => (options.openSandbox ?? sandboxOf)({ execution, ...place });
    const gate = await CallGate.open({ execution, record, place, openSandbox: open });
    const requireModel = (name: string) => (options.findModel ?? findModel)(name, environment);
    const subagents = await subagentTools(execution, executor, { record, budget, requireModel });
    const tools = [...(options.tools ?? loopTools)(), ...subagents];
    let mcp = noServers;
    const run: LoopRun = {
      ...{
        execution,
        environment,
        root,
        record,
        control,
        model,
        estimate,
        budget,
        gate,
        backoffMs,
        failureOf,
        signal,
      },
      conversation: new Conversation(beginning.entries),
      readState: createStateReader(execution),
      /** MCP servers may offer other tools from one turn to the next. */
      get tools() {
        return new Map([...tools, ...mcp.tools()].map((tool) => [tool.name, tool]));
      },
      takeCommands: () => receiver.takeStored(claim.run.run_id),
      isSpent: () => budget !== undefined && !budget.budget.advisory && budget.spent >= budget.budget.micros,
      system: systemPrompt(root, instructions, textOf(spec.system_prompt), spec.system_prompt_mode),
      failures: 0,
    };
    await readOn(run);
    await settleSubagents(run);
    mcp = await connectServers(run, tools);
    return { run, mcp, receiver, timer: timerOf(endsAt, control) };
  } catch (error) {
    receiver.leave();
    await record.recorder.leave();
    throw error;
  }
}

function timerOf(endsAt: number | undefined, control: LoopControl) {
  if (endsAt === undefined) return undefined;
  const left = Math.max(0, endsAt - Date.now());
  return setTimeout(() => control.stop("timeout"), Math.min(left, MAX_TIMEOUT_MS)).unref();
}

/** When the time of a run is over: it begins with its first start, and goes on while the run waits. */
function endOf({ spec, claim }: Execution, stored: readonly Envelope[]): number | undefined {
  const { timeout_ms: limit = 0 } = spec;
  if (limit === 0) return undefined;
  const first = stored.find(({ type }) => type === "run.started")?.occurred_at;
  return limit + (first === undefined ? claim.run.created_at : Date.parse(first));
}

/** Longer timers fire at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** Begins the session, unless it has begun. Returns the instructions of the repository as they were then. */
async function begin(
  { log, directory, claim }: Execution,
  record: LoopRecord,
  { root, stored, beginning }: { root: string; stored: readonly Envelope[]; beginning: RunBeginning },
): Promise<Instruction[]> {
  if (stored.some(({ type }) => type === "session.started")) return storedInstructions(log, directory, stored);
  const instructions = await readInstructions(root, (text) => record.recorder.redact(text));
  const kept = await Promise.all(instructions.map((each) => keepInstruction(directory, each, claim.run)));
  record.tell([beginning.session]);
  for (const { name } of instructions) record.tell([{ kind: "startup", fact: { type: "agentdoc_read", path: name } }]);
  for (const artifacts of kept) record.write((writer, at) => writer.changes(artifacts, at));
  await record.flush();
  return instructions;
}

function budgetOf({ spec, claim }: Execution): BudgetMeter | undefined {
  const { budget_micros_usd: micros, budget_advisory } = spec;
  if (micros === undefined) return undefined;
  const budget = new BudgetMeter({ micros, advisory: budget_advisory === true });
  const { cost_micros_usd: cost, run_id } = claim.run;
  // What was told before is not told again.
  if (cost !== undefined)
    budget.tick(run_id.replace(/^run_/, ""), { totalUsd: cost / 1e6, inputTokens: 0, outputTokens: 0 });
  return budget;
}

function openControl({ log, claim }: Execution, record: LoopRecord) {
  const control: LoopControl = new LoopControl((text) => {
    const input = { via: "send", text } as const;
    const command = receiver.commandOf(input);
    return { write: () => record.recorder.onUserInput(input, command) };
  });
  const { run_id } = claim.run;
  const receiver: CommandReceiver = new CommandReceiver({
    ...{ log, control, recorder: record.recorder, mainRun: () => run_id },
  });
  receiver.watch(run_id);
  return { control, receiver };
}

/** One second, then twice as long each time. */
const doubling = (attempt: number): number => Math.min(30_000, 1_000 * 2 ** (attempt - 1));

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** What the commands of a run may see and write. */
function sandboxOf({ execution, root, environment }: SandboxPlace): Promise<Sandbox> {
  const { directory, spec, claim } = execution;
  return openSandbox({
    root,
    directory,
    environment,
    run_id: claim.run.run_id,
    ...(spec.sandbox && { choice: spec.sandbox }),
  });
}

const noServers: McpConnections = { tools: () => [], close: async () => {} };

/** Connects the MCP servers of the task. Their package is loaded only if there are some. */
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
