import { realpathSync } from "node:fs";
import type { Envelope } from "@spoor/protocol";
import { loadPrices } from "../assemble/prices.ts";
import { readEnvelopes } from "../log/envelopes.ts";
import { BudgetMeter } from "../run/budget-meter.ts";
import { CommandReceiver } from "../runtime/commands/receive.ts";
import type { Execution } from "../runtime/queue/executor.ts";
import { LoopControl } from "./control.ts";
import { Conversation } from "./conversation.ts";
import { CallGate } from "./gate.ts";
import { systemPrompt } from "./instructions.ts";
import { type LoopRun, readOn } from "./loop-run.ts";
import type { LoopOptions } from "./options.ts";
import type { LoopModel, ModelFailure } from "./providers/provider.ts";
import { LoopRecord } from "./record.ts";

/** A run that is open, and what ends with it. */
export interface OpenRun {
  run: LoopRun;
  close(): Promise<void>;
}

/** Opens a run: reads what is stored of it, finds its model and tools, and takes commands from now on. */
export async function openRun(execution: Execution, options: LoopOptions): Promise<OpenRun> {
  const { log, claim, spec } = execution;
  const { environment = process.env } = options;
  const root = realpathSync(claim.run.workspace_path ?? process.cwd());
  const stored: Envelope[] = [];
  for await (const envelope of readEnvelopes(log, { run_id: claim.run.run_id })) stored.push(envelope);
  const model = await required(options, "findModel")(spec.model ?? "", environment);
  const prices = await (options.prices ?? loadPrices)();
  const estimate = estimateFor(model, prices);
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
  const sandbox = await options.sandbox?.();
  const tools = (await options.tools?.()) ?? [];
  const { control, receiver } = openControl(execution, record);
  const run: LoopRun = {
    ...{ execution, environment, root, record, conversation, control, model, estimate, budget },
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    gate: new CallGate(execution, { root, layer: sandbox?.layer ?? "none", record: () => record }),
    system: systemPrompt(root, textOf(spec.system_prompt), spec.system_prompt_mode),
    signal: AbortSignal.any([execution.signal, control.signal]),
    failureOf: options.failureOf ?? otherFailure,
    backoffMs: options.backoffMs ?? ((attempt) => Math.min(30_000, 1_000 * 2 ** (attempt - 1))),
    failures: 0,
  };
  await readOn(run);
  if (!conversation.hasSession) record.tell([{ kind: "session", id: claim.run.session_id ?? claim.run.run_id }]);
  await readOn(run);
  return { run, close: () => receiver.close() };
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

function estimateFor(model: LoopModel, prices: Awaited<ReturnType<typeof loadPrices>>): LoopRun["estimate"] {
  return (_, tokens) => prices(model.id, tokens, model.provider) ?? prices(model.id, tokens);
}

const otherFailure = (error: unknown): ModelFailure => ({
  kind: "other",
  message: error instanceof Error ? error.message : String(error),
  retriable: false,
});

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function required<K extends keyof LoopOptions>(options: LoopOptions, name: K): NonNullable<LoopOptions[K]> {
  const value = options[name];
  if (value === undefined) throw new Error(`The loop has no ${name}.`);
  return value as NonNullable<LoopOptions[K]>;
}
