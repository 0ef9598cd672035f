import type { ToolEnd } from "../agents/signal.ts";
import { contentArtifact, createLimits } from "../runtime/artifacts/index.ts";
import type { AddedFields } from "../runtime/recorder/content-source.ts";
import { type LoopRun, mustStillPerform } from "./loop-run.ts";
import { queueUntil } from "./subagents/wait.ts";
import { storedOutput } from "./tool-output.ts";
import type { KeptContent, LoopTool, ToolContext, ToolResult } from "./tools/tool.ts";

/** A call that may run. */
export interface RunnableCall {
  id: string;
  tool: LoopTool;
  input: unknown;
  /** The rule that allowed it; undefined if a person did. */
  policy_id?: string | undefined;
  /** Its start is stored already. */
  hasStarted?: boolean;
}

/**
 * Runs a call: first its `tool.started` is durable, then it happens, then its end is durable. A process that dies in between
 * leaves a start without an end, and nobody runs the call again.
 */
export async function runCall(run: LoopRun, call: RunnableCall): Promise<"ended" | "waits"> {
  const { record } = run;
  const { id, tool, input, policy_id } = call;
  await record.recorder.beforeCall(record.runId, id);
  mustStillPerform(run);
  const held = tool.held?.(input as never, await run.gate.sandbox());
  if (!call.hasStarted) record.write((writer, at) => writer.judged(id, policy_id, true, at, held));
  await record.flush();
  mustStillPerform(run);
  const startedAt = performance.now();
  const told = new Set<string>();
  const context = contextOf(run, call, told);
  const result = await tool.run(input as never, context).catch((error: unknown) => brokenTool(tool, error));
  // A run that is left, and not stopped, tells nothing: nobody knows whether the call was cut off.
  if (run.execution.signal.aborted) mustStillPerform(run);
  if (result.waits && run.control.stopReason === undefined) {
    await queueUntil(run, result.waits);
    return "waits";
  }
  const durationMs = Math.round(performance.now() - startedAt);
  await tellEnd(run, call, stopped(run, result), { durationMs, told, keep: (content) => context.keep(content) });
  return "ended";
}

/** Ends a call that does not run. What is said goes to the model. */
export function refuseCall({ record }: LoopRun, id: string, error: string, outcome?: ToolEnd["outcome"]): void {
  record.tell([{ kind: "toolEnd", id, error, ...(outcome && { outcome }) }]);
}

const brokenTool = (tool: LoopTool, error: unknown): ToolResult => ({
  output: "",
  summary: "the tool broke",
  error: `The tool ${tool.name} broke: ${(error as Error).message}`,
});

/** A call that was cut off because the run stops is cancelled. */
function stopped({ control }: LoopRun, result: ToolResult): ToolResult {
  const { stopReason } = control;
  if (stopReason === undefined || result.error === undefined) return result;
  return stopReason === "timeout"
    ? { ...result, error: "The run reached its time limit.", outcome: "timed_out" }
    : { ...result, error: "The run was stopped.", outcome: "cancelled" };
}

async function tellEnd(
  { record }: LoopRun,
  { id, tool }: RunnableCall,
  result: ToolResult,
  { durationMs, told, keep }: { durationMs: number; told: Set<string>; keep: ToolContext["keep"] },
): Promise<void> {
  const { error, outcome, protocol, exitCode, files, summary, events = [] } = result;
  const stored = await storedOutput(result, tool.kind, keep);
  record.own(events);
  for (const [type] of events) told.add(type);
  const text = error === undefined ? stored.output : [error, stored.output].filter((each) => each !== "").join("\n");
  record.tell(
    [
      {
        kind: "toolEnd",
        ...{ id, durationMs },
        ...(error === undefined ? { output: stored.output } : { error: text }),
        ...(outcome && { outcome }),
        ...(protocol !== undefined && { protocol }),
        ...(exitCode !== undefined && { exitCode }),
        ...(files && { files: [...files] }),
      },
    ],
    { fields: fieldsOf(result, { ...(summary !== "" && { summary }), ...stored.fields }, told) },
  );
  await record.flush();
}

const ENDS = ["tool.completed", "tool.failed", "tool.cancelled", "tool.timed_out"] as const;

/** The fields of the call's end. Events that the tool told itself are not derived a second time. */
function fieldsOf({ fields = {} }: ToolResult, common: Record<string, unknown>, told: Set<string>): AddedFields {
  const { truncated, ...shared } = common;
  const ends = ENDS.map((type) => {
    const cut = type === "tool.completed" && truncated !== undefined && { truncated };
    return [type, { ...shared, ...cut, ...(fields[type] || {}) }];
  });
  return { ...fields, ...Object.fromEntries(ends), ...Object.fromEntries([...told].map((type) => [type, false])) };
}

function contextOf(run: LoopRun, { id }: RunnableCall, told: Set<string>): ToolContext {
  const { execution, record, root, signal, environment, conversation, gate } = run;
  const { log, directory, claim } = execution;
  const { run_id, task_id } = claim.run;
  let isTold = true;
  async function keep(content: KeptContent): Promise<string | undefined> {
    const { artifact_ids, drafts, effects } = await contentArtifact(directory, {
      ...{ run_id, task_id, tool_call_ids: [id], turn_index: conversation.turns },
      redact: (text) => record.recorder.redact(text),
      limits: createLimits(log),
      ...content,
      bytes: Buffer.from(content.bytes),
    });
    record.write((writer, at) => writer.changes({ drafts, effects }, at));
    return artifact_ids[0];
  }
  return {
    ...{ callId: id, run_id, task_id, log, directory, environment, root, signal },
    decide: (action) => gate.decide(action),
    sandbox: () => gate.sandbox(),
    controls: (processes) => execution.controls(processes),
    tell({ signals = [], fields, events = [] }) {
      // A run that is left to another process is not written any more.
      isTold &&= !execution.signal.aborted;
      if (!isTold) return;
      for (const [type] of events) told.add(type);
      if (signals.length > 0) record.tell(signals, fields ? { fields: { ...fields } as AddedFields } : {});
      record.own(events);
    },
    keep,
  };
}
