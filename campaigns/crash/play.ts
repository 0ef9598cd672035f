import { setTimeout as sleep } from "node:timers/promises";
import { isOver } from "../../packages/spoor/src/log/records.ts";
import { sendCommand } from "../../packages/spoor/src/runtime/commands/send.ts";
import { begin, gateOf, openGates, postTask, startWorker } from "./begin.ts";
import { projectionProblems } from "./judge.ts";
import type { Cell, Phase } from "./matrix.ts";
import { playPatches } from "./patches.ts";
import { type Stage, signal } from "./stage.ts";
import { answer, command, pendingApproval } from "./steer.ts";

interface Scene {
  stage: Stage;
  cell: Cell;
  random: () => number;
  run_id: string;
}

/** Brings a run into a phase, kills the victim, starts again what a user would start again, and lets the run end. */
export async function play(stage: Stage, cell: Cell, random: () => number): Promise<string> {
  if (cell.phase === "applying") return playPatches(stage, cell, random);
  await begin(stage, cell);
  if (cell.phase === "queued") await sleep(random() * 60);
  else await stage.until("the run", async () => (await stage.log.runs()).runs.length > 0);
  const scene: Scene = { stage, cell, random, run_id: (await stage.log.runs()).runs[0]?.run_id ?? "" };
  await reach[cell.phase](scene);
  await strike(scene);
  const [problem] = await projectionProblems(stage);
  if (problem !== undefined) throw new Error(`Right after the kill, ${problem}`);
  await startAgain(scene);
  if (cell.phase === "queued" && stage.server) scene.run_id = await askedAgain(scene);
  openGates(stage);
  await afterwards[cell.phase]?.(scene);
  await stage.until("the end of the run", async () => isOver(await stage.run(scene.run_id)));
  return scene.run_id;
}

const reach: Record<Phase, (scene: Scene) => Promise<unknown>> = {
  queued: async () => {},
  claimed: ({ stage, run_id }) => stage.untilEvent(run_id, "run.started"),
  async model({ stage, cell, random }) {
    await stage.atGate(gateOf(cell) as string);
    await sleep(random() * 60);
  },
  async tool({ stage, cell, random }) {
    await stage.atGate(gateOf(cell) as string);
    await sleep(random() * 60);
  },
  async result({ stage, run_id, random }) {
    await stage.untilEvent(run_id, "tool.completed");
    await sleep(random() * 30);
  },
  approval: ({ stage, run_id }) => pendingApproval(stage, run_id),
  async answered({ stage, cell, run_id, random }) {
    const { approval_id } = await pendingApproval(stage, run_id);
    const isParked = cell.shape === "loop";
    const executor = await stage.executorOf(run_id);
    // A stopped process cannot pass the answer on.
    if (!isParked) signal(executor, "SIGSTOP");
    await answer(stage, approval_id);
    if (isParked) await sleep(random() * 30);
  },
  async paused({ stage, cell, run_id }) {
    await stage.atGate(gateOf(cell) as string);
    await command(stage, run_id, "pause");
  },
  async cancelling({ stage, cell, run_id, random }) {
    await stage.atGate(gateOf(cell) as string);
    // Half of the executors never see the command.
    if (cell.victim === "executor" && random() < 0.5) signal(await stage.executorOf(run_id), "SIGSTOP");
    await sendCommand(stage.log, { run_id, kind: "cancel", by: "campaign" });
    await sleep(random() * 60);
  },
  async finishing({ stage, cell, random }) {
    await stage.atGate(gateOf(cell) as string);
    openGates(stage);
    await sleep(random() * 100);
  },
  applying: async () => {},
};

async function strike({ stage, cell, run_id }: Scene): Promise<void> {
  if (stage.worker) return stage.kill(stage.worker);
  if (cell.victim === "executor") return stage.killExecutor(run_id);
  const executor = cell.phase === "answered" ? await stage.executorOf(run_id) : 0;
  await stage.kill(stage.server?.child);
  signal(executor, "SIGCONT");
}

async function startAgain({ stage, cell }: Scene): Promise<void> {
  if (stage.worker) await startWorker(stage, { shape: cell.shape, phase: "model" });
  else if (cell.victim === "server" || !stage.server) await stage.serve();
}

/** A request whose answer was lost is repeated, and there is still one task with one run. */
async function askedAgain({ stage, cell }: Scene): Promise<string> {
  const answered = await postTask(stage, cell);
  const { runs } = await stage.log.runs();
  if (answered?.status !== 201 || runs.length !== 1) {
    throw new Error(`The repeated request got ${answered?.status}, and there are ${runs.length} runs.`);
  }
  return runs[0]?.run_id ?? "";
}

const afterwards: Partial<Record<Phase, (scene: Scene) => Promise<unknown>>> = {
  async approval({ stage, cell, run_id }) {
    const { rows } = await stage.log.rows.list("approvals", { where: { run_id } });
    const approval_id = rows[0]?.approval_id ?? "";
    const isAnswerable = cell.victim === "server" || cell.shape === "loop";
    const outcome = await answer(stage, approval_id);
    if (outcome !== (isAnswerable ? 200 : 410)) throw new Error(`An answer after the restart got ${outcome}`);
  },
  async paused({ stage, cell, run_id }) {
    if (cell.victim === "server" && cell.shape !== "shell task") await command(stage, run_id, "unpause");
    if (cell.shape === "loop") await command(stage, run_id, "unpause");
  },
};
