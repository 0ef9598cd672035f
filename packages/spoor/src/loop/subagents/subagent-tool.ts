import { type Static, Type } from "@sinclair/typebox";
import { unprefixed } from "@spoor/protocol/ids";
import type { StoredRun } from "../../log/records.ts";
import { childrenOf } from "../../runtime/lifecycle/children.ts";
import type { Execution, Executor } from "../../runtime/queue/executor.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";
import { childKey, startChildRun } from "../../runtime/tasks/child-run.ts";
import type { LoopTool, ToolContext, ToolResult } from "../tools/tool.ts";
import { type ChildEnd, endOfChild } from "./child-end.ts";
import { performChild } from "./perform-child.ts";

/** The most subagents that one run starts. */
const MAX_SUBAGENTS = 16;
/** How deep subagents start subagents. */
export const MAX_DEPTH = 2;

/** What a run needs to start subagents. */
export interface SubagentOptions {
  execution: Execution;
  /** What performs the runs of subagents, too. */
  executor: Executor;
  /** Throws if the model cannot be used. */
  requireModel(name: string): Promise<unknown>;
  /** Counts what a subagent has cost into the budget of the task. */
  spend(runId: string, end: ChildEnd): void;
}

const inputSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64, description: "A short name for the subagent." }),
    prompt: Type.String({ minLength: 1, description: "The whole task. The subagent knows nothing else." }),
    model: Type.Optional(Type.String({ minLength: 1, description: "Another model than yours: provider/model." })),
  },
  { additionalProperties: false },
);

type Input = Static<typeof inputSchema>;

/**
 * A tool that hands a task to another run of the loop: its own stream, the same folder, rules and task. The call ends with the
 * run's answer. If the subagent waits for a person, both wait without a process.
 */
export function createSubagentTool(options: SubagentOptions): LoopTool {
  const tool: LoopTool<typeof inputSchema> = {
    name: "subagent",
    kind: "subagent",
    description:
      "Hands a task to a subagent, which works in the same folder with the same tools, and returns its answer. " +
      "Use it for work that is separate from yours, such as a search through many files.",
    input: inputSchema,
    effect: "effect",
    goesOn: true,
    actions: (_, { root }) => [{ subject: "task", kind: "agent_loop", cwd: root }],
    describe: async ({ name, prompt }) => ({ summary: `Start the subagent ${name}`, detail: prompt }),
    run: (input, context) => run(options, input, context),
  };
  return tool as unknown as LoopTool;
}

async function run(options: SubagentOptions, input: Input, context: ToolContext): Promise<ToolResult> {
  const { execution, spend } = options;
  const { callId, tell } = context;
  const { name, prompt } = input;
  const run_id = await start(options, input, context);
  if (typeof run_id !== "string") return run_id;
  const childRunId = unprefixed("run", run_id);
  tell({ signals: [{ kind: "spawn", id: callId, name, prompt, childRunId }] });
  const child = await performChild(options, run_id, context.signal);
  if (child === "left") return failed("The subagent was left to another process.");
  if ("until" in child) return { output: "", summary: `${name} waits for a person`, waits: child };
  const end = await endOfChild(execution.log, child);
  spend(childRunId, end);
  const { error, outcome, answer, cost } = end;
  if (error !== undefined) {
    tell({ signals: [{ kind: "spawnEnd", id: callId, error }] });
    return { ...failed(`The subagent ${name} failed: ${error}`), ...(outcome && { outcome }) };
  }
  tell({ signals: [{ kind: "spawnEnd", id: callId, summary: answer, ...(cost && { cost }) }] });
  return { output: answer, summary: `${name}: ${answer.split("\n", 1)[0]}` };
}

/** Makes the run of the subagent, or finds it. Returns what the model is told if it cannot be made. */
async function start(
  { execution, requireModel }: SubagentOptions,
  { name, prompt, model }: Input,
  { callId }: ToolContext,
): Promise<string | ToolResult> {
  const { log, directory, claim, spec } = execution;
  const parent = claim.run;
  const isKnown = await log.rows.find("requests", childKey(parent.run_id, callId));
  if (!isKnown && (await childrenOf(log, parent)).length >= MAX_SUBAGENTS)
    return failed(`A run starts at most ${MAX_SUBAGENTS} subagents. Do the rest yourself.`);
  try {
    if (model !== undefined && !isKnown) await requireModel(model);
    const context = { log, directory, canExecute: () => true, by: `run:${parent.run_id}` };
    return await startChildRun(context, { parent, tool_call_id: callId, spec: childSpec(spec, name, prompt, model) });
  } catch (error) {
    return failed(`The subagent was not started: ${(error as Error).message}`);
  }
}

/** What the subagent is asked to do, with everything else as the parent was asked. */
function childSpec(spec: TaskSpec, name: string, prompt: string, model: string | undefined): TaskSpec {
  const { continues: _, title: __, ...shared } = spec;
  return { ...shared, title: name, prompt, ...(model !== undefined && { model }) };
}

/** How many parents a run has. */
export async function depthOf({ log, claim }: Execution): Promise<number> {
  let depth = 0;
  for (let run: StoredRun | undefined = claim.run; run?.parent_run_id !== undefined && depth <= MAX_DEPTH; depth += 1)
    run = await log.run(run.parent_run_id);
  return depth;
}

const failed = (error: string): ToolResult => ({ output: "", summary: error, error });
