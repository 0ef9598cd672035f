import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createUlidSource } from "@spoor/protocol";
import type { Effect } from "../../../spoor/src/log/effects.ts";
import { openLog } from "../../../spoor/src/log/open.ts";
import type { FactChanges } from "../../../spoor/src/log/records.ts";
import { type ChangedFile, patchesOfCall } from "../../../spoor/src/runtime/artifacts/index.ts";
import { RunFactsFold } from "../../../spoor/src/runtime/projections/run-facts.ts";

const newId = createUlidSource();

/** One change of a file by one call. `before` and `after` are whole contents; absent where there is no file. */
export interface TestChange {
  path: string;
  before?: string;
  after?: string;
  tool?: string;
  turn?: number;
  /** Only proposed: the file is not written. */
  isProposed?: boolean;
  isOutside?: boolean;
}

export interface TestRun {
  agent?: string;
  prompt?: string;
  isOver?: boolean;
  /** Runs that this one started. */
  subagents?: { name: string; run_id: string }[];
}

/** Records a run in `root` that made these changes, one call for each, and writes the files as it left them. */
export async function patchedRun(
  data: string,
  root: string,
  changes: readonly TestChange[],
  { agent = "claude", prompt = "Fix add() and create a test", isOver = true, subagents = [] }: TestRun = {},
): Promise<PatchedRun> {
  const run: PatchedRun = { run_id: `run_${newId()}`, task_id: `task_${newId()}`, root, artifact_ids: [] };
  const begin: Draft[] = [
    ["run.created", { kind: "agent", agent, status: "queued", workspace_path: root }],
    ["run.started", { worker_id: "w" }],
    ["session.started", { native_session_id: "s-1", resumed: false }],
    ["user.message", { text: prompt, via: "prompt" }],
  ];
  for (const { name, run_id } of subagents)
    begin.push(
      ["subagent.started", { subagent_id: run_id, agent_name: name, prompt: "Help.", child_run_id: run_id }],
      ["subagent.completed", { subagent_id: run_id, agent_name: name, summary: "Done." }],
    );
  const { drafts, effects } = await made(data, run, changes);
  const end: Draft[] = [
    ["session.ended", { native_session_id: "s-1", turn_count: changes.length }],
    ["run.finished", { final_status: "completed", turns: changes.length }],
  ];
  await append(data, run, [...begin, ...drafts, ...(isOver ? end : [])], effects, { agent, prompt, isOver, subagents });
  return run;
}

/** Lets a run that goes on change something more. */
export async function addChange(data: string, run: PatchedRun, change: TestChange): Promise<void> {
  const { drafts, effects } = await made(data, run, [change]);
  await append(data, run, drafts, effects);
}

export interface PatchedRun {
  run_id: string;
  task_id: string;
  root: string;
  artifact_ids: string[];
}

type Draft = [type: string, data: object];

/** The events of the changes. The files are written as the run left them. */
async function made(data: string, { run_id, task_id, root, artifact_ids }: PatchedRun, changes: readonly TestChange[]) {
  const drafts: Draft[] = [];
  const effects: Effect[] = [];
  for (const change of changes) {
    const number = artifact_ids.length + 1;
    const { path: file, before, after, tool = "Edit", turn = number, isProposed = false, isOutside = false } = change;
    const call = `call_${number}`;
    const own = { run_id, task_id, turn_index: turn, group_id: call, mode: 0o100644, tool_call_ids: [call] };
    const changed: ChangedFile = {
      ...{ ...own, path: file, before: bytesOf(before), after: bytesOf(after) },
      attribution: isOutside ? "outside" : "call",
      ...(isProposed && { operation: "propose" }),
    };
    const patch = await patchesOfCall(data, { files: [changed], tool_name: tool, at: Date.now() });
    const called = { tool_call_id: call, tool_name: tool, kind: "edit", turn_index: turn };
    drafts.push(
      ["turn.started", { turn_index: turn }],
      ["assistant.tool_call_started", { ...called }],
      ["assistant.tool_call_proposed", { turn_index: turn, tool_call_id: call, tool_name: tool, input: {} }],
      ["tool.invoked", called],
      ["tool.completed", { ...called, output: "ok", duration_ms: 1 }],
      ...patch.drafts.map(({ type, data: payload }): Draft => [type, payload]),
      ["turn.completed", { turn_index: turn, duration_ms: 1, tool_calls: 1 }],
    );
    artifact_ids.push(...patch.artifact_ids);
    effects.push(...patch.effects);
    write(root, file, isProposed ? before : after);
  }
  return { drafts, effects };
}

async function append(
  data: string,
  { run_id, task_id, root }: PatchedRun,
  events: readonly Draft[],
  effects: readonly Effect[],
  create?: Required<TestRun>,
): Promise<void> {
  const start = Date.now() - events.length * 100;
  const drafts = events.map(([type, payload], index) => ({
    ...{ type, timestamp: start + index * 100, json: JSON.stringify(payload) },
  }));
  const facts = create && {
    ...new RunFactsFold({ kind: "agent" }).add(drafts),
    ...{ status: create.isOver ? "completed" : "running", workspace_path: root, title: create.prompt },
    ...(create.isOver && { ended_at: Date.now() }),
  };
  const log = await openLog({ directory: data, durability: "process" });
  try {
    await log.append([
      {
        ...{ run_id, epoch: 1, drafts, effects: [...effects] },
        ...(create && { create: { task_id, agent: create.agent, kind: "agent" }, facts: facts as FactChanges }),
      },
    ]);
  } finally {
    await log.close();
  }
}

const bytesOf = (text: string | undefined): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text));

function write(root: string, file: string, content: string | undefined): void {
  if (content === undefined) return;
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}
