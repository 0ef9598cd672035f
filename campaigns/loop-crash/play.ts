import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isOver } from "../../packages/spoor/src/log/records.ts";
import { answerApproval } from "../../packages/spoor/src/runtime/commands/answer-approval.ts";
import { sendCommand } from "../../packages/spoor/src/runtime/commands/send.ts";
import { readSpec } from "../../packages/spoor/src/runtime/specification/spec.ts";
import { createAndStart } from "../../packages/spoor/src/runtime/tasks/start.ts";
import { allRuns, projectionProblems } from "../crash/judge.ts";
import { ended, firstLine, signal } from "../crash/stage.ts";
import { answer, command, pendingApproval } from "../crash/steer.ts";
import { type Executor, type Phase, rowOf, type StepName } from "./matrix.ts";
import type { LoopStage } from "./stage.ts";

interface Scene {
  stage: LoopStage;
  random: () => number;
  /** The run that the user asked for; not that of a subagent. */
  run_id: string;
}

const steps: readonly StepName[] = ["first", "second", "last", "long", "inner", "noted"];

/** Brings a run into a phase, kills its process, starts what a user would start, and lets the run end. */
export async function play(stage: LoopStage, random: () => number): Promise<string> {
  const { phase, executor } = stage.cell;
  const { gate } = rowOf(phase);
  const closed = phase === "twice" ? ["first", "last"] : [gate];
  stage.open(...steps.filter((step) => !closed.includes(step)));
  stage.model.isOverloaded = phase === "retry waits";
  await begin[executor](stage);
  const scene: Scene = { stage, random, run_id: "" };
  if (phase !== "queued") {
    await stage.until("the run", async () => (await mainRun(stage)) !== undefined);
    scene.run_id = (await mainRun(stage)) ?? "";
  }
  await reach[phase](scene);
  await strike(scene);
  await again[phase]?.(scene);
  stage.model.release();
  stage.open("gate", ...steps);
  scene.run_id ||= (await askAgain(stage)) ?? "";
  await afterwards[phase]?.(scene);
  await toTheEnd(scene);
  return scene.run_id;
}

const begin: Readonly<Record<Executor, (stage: LoopStage) => Promise<void>>> = {
  async server(stage) {
    await stage.serve();
    void post(stage);
  },
  async "spoor work"(stage) {
    const { log, data: directory } = stage;
    await createAndStart({ log, directory, canExecute: () => true, by: "campaign" }, readSpec(stage.spec));
    await startWorker(stage);
  },
  async terminal(stage) {
    // Without a terminal nobody can be asked.
    stage.worker = stage.start(stage.commandLine, { terminal: rowOf(stage.cell.phase).asks === true });
    stage.worker.stdout?.resume();
  },
};

/** Starts the process again, or another one that takes up the run of a terminal. */
async function restart({ stage, random }: Pick<Scene, "stage" | "random">): Promise<void> {
  const { executor } = stage.cell;
  const takesWorker = executor === "spoor work" || (executor === "terminal" && random() < 0.5);
  if (takesWorker) return startWorker(stage);
  stage.worker = undefined;
  await stage.serve();
}

async function startWorker(stage: LoopStage): Promise<void> {
  stage.worker = stage.start(["work", "--json"]);
  if (stage.cell.phase !== "queued" || stage.kills > 0) await firstLine(stage.worker);
}

/** Asks the server for the task. Repeated requests make one task. */
const post = (stage: LoopStage) =>
  stage.post("/v1/tasks", { ...stage.spec, start: true }, { "idempotency-key": "the-task" });

/** A run that was killed in the queue is there, or the user asks again. */
async function askAgain(stage: LoopStage): Promise<string | undefined> {
  if (stage.cell.executor === "server") await post(stage);
  return mainRun(stage);
}

const mainRun = async (stage: LoopStage): Promise<string | undefined> =>
  (await allRuns(stage)).find(({ parent_run_id }) => parent_run_id === undefined)?.run_id;

const held = async ({ stage, random }: Scene): Promise<void> => {
  await stage.until("a request that is held", () => stage.model.held > stage.kills);
  await sleep(random() * 30);
};

const atStep = async ({ stage, random }: Scene): Promise<void> => {
  await stage.atGate(String(rowOf(stage.cell.phase).gate));
  await sleep(random() * 30);
};

const atEvent = async ({ stage, run_id, random }: Scene): Promise<void> => {
  await stage.untilEvent(run_id, String(rowOf(stage.cell.phase).event));
  await sleep(random() * 20);
};

const reach: Readonly<Record<Phase, (scene: Scene) => Promise<unknown>>> = {
  queued: ({ random }) => sleep(random() * 60),
  claimed: atEvent,
  "model call": held,
  "model answer": held,
  "later model call": held,
  checkpoint: atEvent,
  gate: ({ stage }) => stage.atGate("gate"),
  intent: async ({ stage, run_id, random }) => {
    await stage.untilEvent(run_id, "tool.started");
    if (random() < 0.5) await sleep(random() * 10);
  },
  tool: atStep,
  "second call of a turn": atStep,
  result: atEvent,
  approval: ({ stage, run_id }) => pendingApproval(stage, run_id),
  async answered({ stage, run_id }) {
    await pendingApproval(stage, run_id);
    await answerStopped(stage);
  },
  async "taken up"({ stage, run_id, random }) {
    const { approval_id } = await pendingApproval(stage, run_id);
    await answer(stage, approval_id);
    await stage.untilEvent(run_id, "run.started", 2);
    await sleep(random() * 40);
  },
  async paused(scene) {
    const { stage, run_id } = scene;
    await atStep(scene);
    // A run pauses at the end of a turn.
    const pausing = command(stage, run_id, "pause");
    stage.open("first");
    await pausing;
  },
  async cancelling(scene) {
    const { stage, run_id, random } = scene;
    await atStep(scene);
    // Half of the processes never see the command.
    if (random() < 0.5) signal(executorOf(stage), "SIGSTOP");
    await sendCommand(stage.log, { run_id, kind: "cancel", by: "campaign" });
    await sleep(random() * 60);
  },
  compacting: held,
  "retry waits": ({ stage, run_id }) => stage.untilEvent(run_id, "limit.retry_scheduled"),
  "subagent's model call": held,
  "subagent's tool": atStep,
  "subagent's approval": subagentAsks,
  async "subagent answered"(scene) {
    await subagentAsks(scene);
    await answerStopped(scene.stage);
  },
  "MCP call": atStep,
  async finishing(scene) {
    await held(scene);
    scene.stage.model.release();
    await sleep(scene.random() * 100);
  },
  anywhere: ({ random }) => sleep(random() * 2_500),
  twice: atStep,
  "three times": held,
};

/** Waits until the subagent of the run asks, and the run waits for it in the queue. */
async function subagentAsks({ stage, run_id }: Scene): Promise<void> {
  await stage.until("a question of the subagent", async () => {
    const { rows } = await stage.log.rows.list("approvals", { where: { status: "pending" } });
    if (rows.some((row) => row.run_id !== run_id)) return true;
    for (const { approval_id } of rows) await answer(stage, approval_id);
    return false;
  });
  // The run of the user waits for it in the queue.
  await stage.until("the waiting run", async () => (await stage.run(run_id)).status === "queued");
}

/** Allows what waits, while the process is stopped and cannot take up the run. */
async function answerStopped(stage: LoopStage): Promise<void> {
  signal(executorOf(stage), "SIGSTOP");
  for (const approval_id of (await pendingIds(stage)).split(","))
    await answerApproval(stage.log, { approval_id, decision: "approve", by: "campaign" });
}

/** The process that performs the run. In a terminal it is the child of the program that makes the terminal. */
function executorOf({ worker, server, cell }: LoopStage, kills = 0): number {
  const pid = (worker ?? server?.child)?.pid ?? 0;
  if (cell.executor !== "terminal" || !rowOf(cell.phase).asks || kills > 0) return pid;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}

/** Kills the process. What it has stored agrees with itself at once, before anybody repairs anything. */
async function kill({ stage }: Scene): Promise<void> {
  const { worker, server } = stage;
  const child = (worker ?? server?.child) as ChildProcess;
  signal(executorOf(stage, stage.kills), "SIGKILL");
  // The program that makes a terminal stops together with what runs in it.
  signal(child.pid ?? 0, "SIGCONT");
  await ended(child);
  stage.kills += 1;
  const [problem] = await projectionProblems(stage);
  if (problem !== undefined) throw new Error(`Right after the kill, ${problem}`);
}

async function strike(scene: Scene): Promise<void> {
  const asked = await pendingIds(scene.stage);
  await kill(scene);
  await restart(scene);
  if (scene.stage.cell.phase === "approval" && (await pendingIds(scene.stage)) !== asked)
    throw new Error(`Approvals that waited before the kill (${asked}) do not wait any more`);
}

async function pendingIds({ log }: LoopStage): Promise<string> {
  const { rows } = await log.rows.list("approvals", { where: { status: "pending" } });
  return rows.map(({ approval_id }) => approval_id).join();
}

/** Further kills. */
const again: Partial<Record<Phase, (scene: Scene) => Promise<unknown>>> = {
  async twice(scene) {
    await scene.stage.atGate("last");
    await strike(scene);
  },
  async "three times"(scene) {
    for (let kills = 1; kills < 3; kills += 1) {
      await held(scene);
      await strike(scene);
    }
  },
};

const afterwards: Partial<Record<Phase, (scene: Scene) => Promise<unknown>>> = {
  async approval({ stage }) {
    const [approval_id = ""] = (await pendingIds(stage)).split(",");
    const outcome = await answer(stage, approval_id);
    if (outcome !== 200) throw new Error(`An answer after the restart got ${outcome}`);
  },
  paused: ({ stage, run_id }) => command(stage, run_id, "unpause"),
};

/** Waits until all runs are over, and allows everything that they ask about meanwhile. */
async function toTheEnd({ stage }: Scene): Promise<void> {
  await stage.until("the end of all runs", async () => {
    await sleep(30);
    if (rowOf(stage.cell.phase).asks) {
      for (const approval_id of (await pendingIds(stage)).split(",").filter(Boolean)) await answer(stage, approval_id);
    }
    return (await allRuns(stage)).every(isOver);
  });
}
