import { DatabaseSync } from "node:sqlite";
import { createUlidSource } from "@spoor/protocol";
import type { Log, LogDraft } from "../../../spoor/src/log/log.ts";
import { openLog } from "../../../spoor/src/log/open.ts";
import { factsAfter } from "../../../spoor/src/runtime/projections/run-facts.ts";
import { ownWorkerId } from "../../../spoor/src/runtime/worker.ts";

const newRunId = createUlidSource({ prefix: "run_" });
const MINUTE = 60_000;

type Step = readonly [type: string, data?: object];

/** The runs of `stateRuns`, each in one of the states that a run can be in without a person or an agent at work. */
export interface StateRuns {
  queued: string;
  working: string;
  question: string;
  paused: string;
  stalled: string;
  done: string;
  cancelled: string;
  failed: string;
  /** Its worker was lost, a program wrote an event that the page does not know, its beginning was pruned, and events are damaged. */
  broken: string;
  /** Its row does not match its events. */
  damaged: string;
}

/** Records a run in each state. The process that calls this is said to be their worker. */
export async function stateRuns(data: string, folder = "/home/dev/project"): Promise<StateRuns> {
  const log = await openLog({ directory: data, durability: "process" });
  const now = Date.now();
  try {
    const record = (at: number, title: string, steps: readonly Step[]) => recordIn(log, folder, at, title, steps);
    const began = (at: number, steps: readonly Step[], title: string) => record(at, title, [...start, ...steps]);
    const runs: StateRuns = {
      damaged: await began(now - 90 * MINUTE, answered("Nothing to do."), "Look for unused files"),
      broken: await record(now - 80 * MINUTE, "Publish the build", brokenSteps()),
      failed: await began(now - 70 * MINUTE, failedSteps, "Write the changelog from the last forty commits"),
      cancelled: await began(now - 60 * MINUTE, cancelledSteps, "Rewrite the parser in one go"),
      done: await began(now - 50 * MINUTE, answered("It was the sign in add()."), "Find the wrong sign"),
      stalled: await began(now - 45 * MINUTE, command("npm install"), "Upgrade every dependency"),
      queued: await record(now, "Read the whole log once a night", [["run.queued"]]),
      paused: await began(now, [...said("I begin."), ["run.paused"]], "Move README.md into docs/"),
      question: await began(now, questionSteps, "Give the calculator a theme"),
      working: await began(now, command("npm test"), "Explain how the release script works"),
    };
    await log.upkeep.prune(runs.broken, 3, "operator");
    await log.close();
    damageRow(data, runs.damaged);
    damageEvents(data, runs.broken);
    return runs;
  } finally {
    await log.close();
  }
}

const model = "claude-opus-5-5";
const start: readonly Step[] = [
  ["run.started", { worker_id: ownWorkerId(), attempt: 1 }],
  ["turn.started", { turn_index: 1, model }],
];

const said = (text: string): readonly Step[] => [
  ["assistant.message_started", { turn_index: 1, block_index: 0 }],
  ["assistant.text_complete", { turn_index: 1, block_index: 0, text }],
];

/** The last words of a run that did what it was asked. */
const answered = (text: string): readonly Step[] => [
  ...said(text),
  ["assistant.final_answer", { turn_index: 1, summary: text }],
  ["turn.completed", { turn_index: 1, duration_ms: 1_600 }],
  ["run.finished", { final_status: "completed", turns: 1, duration_ms: 4_100 }],
];

function command(line: string): readonly Step[] {
  const call = { turn_index: 1, tool_call_id: "call_1", tool_name: "Bash", kind: "shell" };
  return [
    ["assistant.tool_call_proposed", { ...call, input: { command: line } }],
    ["tool.invoked", call],
    ["tool.started", call],
    ["tool.shell.command", { tool_call_id: "call_1", command_string: line, cwd: "/home/dev/project" }],
  ];
}

const questionSteps: readonly Step[] = [
  ...said("There are two themes that would fit."),
  ["input.requested", { interaction_id: "ask_1", question: "Which colour?", context: "Red\nBlue", turn_index: 1 }],
];

const cancelledSteps: readonly Step[] = [
  ...said("I begin with the tokens."),
  ["run.aborted", { by: "cli" }],
  ["run.cancelled", { by: "cli", turns: 1 }],
];

const failedSteps: readonly Step[] = [
  ...said("I read the last commits."),
  ["error.rate_limit", { message: "API Error: 529 Overloaded.", turn_index: 1 }],
  [
    "run.failed",
    { code: "agent.rate_limited", message: "API Error: 529 Overloaded, after 3 tries.", retriable: true, turns: 1 },
  ],
];

function brokenSteps(): readonly Step[] {
  const lost = { reason: "worker_lease_expired", action: "requeued", since_sequence: 4, prior_status: "running" };
  const deltas = Array.from(
    { length: 6 },
    (_, at): Step => ["assistant.text_delta", { turn_index: 1, block_index: 0, delta: `step ${at} ` }],
  );
  return [
    ...start,
    ...said("I build it first."),
    ["gap.run_disconnected", { ...lost, since_at: new Date().toISOString(), recovered_status: "queued" }],
    ...start,
    ["assistant.message_started", { turn_index: 1, block_index: 0 }],
    ...deltas,
    ["assistant.text_complete", { turn_index: 1, block_index: 0, text: "The build is there." }],
    ["acme.deployed", { build: 7, note: "To production." }],
    ...answered("It is in production."),
  ];
}

/** Writes the events of a run, three in each commit, and the facts of its row as the runtime does. */
async function recordIn(log: Log, folder: string, at: number, title: string, steps: readonly Step[]): Promise<string> {
  const run_id = newRunId();
  const all: readonly Step[] = [
    ["run.created", { kind: "agent", title, workspace_path: folder }],
    ["user.message", { turn_index: 0, text: `${title}.`, via: "prompt" }],
    ...steps,
  ];
  const drafts = all.map(([type, data = {}], index): LogDraft => {
    return { type, timestamp: at + index * 400, json: JSON.stringify(data) };
  });
  const create = { agent: "claude", kind: "agent", created_at: at } as const;
  const facts = factsAfter({}, drafts);
  const [receipt] = await log.append([{ run_id, create, drafts: drafts.splice(0, 3), facts }]);
  while (drafts.length > 0) await log.append([{ run_id, epoch: receipt?.epoch ?? 1, drafts: drafts.splice(0, 3) }]);
  return run_id;
}

/** Changes a row without its checksum, as a bad disk does. */
function damageRow(data: string, run_id: string): void {
  const database = new DatabaseSync(`${data}/spoor.db`);
  database.prepare(`UPDATE runs SET facts = replace(facts, '"turns":1', '"turns":9') WHERE run_id = ?`).run(run_id);
  database.close();
}

/** Flips a bit in a chunk in the middle of a run, as a bad disk does. */
function damageEvents(data: string, run_id: string): void {
  const database = new DatabaseSync(`${data}/spoor.db`);
  const rows = database
    .prepare("SELECT last_position, body FROM chunks WHERE run = (SELECT run FROM runs WHERE run_id = ?)")
    .all(run_id) as { last_position: number; body: Uint8Array }[];
  const { last_position, body } = rows.at(-4) ?? { last_position: -1, body: new Uint8Array(2) };
  const changed = Buffer.from(body);
  changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
  database.prepare("UPDATE chunks SET body = ? WHERE last_position = ?").run(changed, last_position);
  database.close();
}
