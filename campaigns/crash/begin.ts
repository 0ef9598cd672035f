import { readSpec, type TaskSpec } from "../../packages/spoor/src/runtime/specification/spec.ts";
import { createAndStart } from "../../packages/spoor/src/runtime/tasks/start.ts";
import type { Cell, Phase } from "./matrix.ts";
import { firstLine, type Stage } from "./stage.ts";

/** The gate at which a run stands in a phase. All others are open. */
const gates: Partial<Record<Phase, string>> = {
  model: "model",
  tool: "tool",
  result: "result",
  paused: "model",
  cancelling: "model",
  finishing: "finish",
};
const allGates = ["model", "tool", "result", "finish"];

/** The gate of the phase for this shape: a command has no other than the one inside its only call. */
export const gateOf = ({ shape, phase }: Cell): string | undefined =>
  shape.startsWith("shell") ? gates[phase] && "tool" : gates[phase];

export const openGates = (stage: Stage): void => stage.open(...allGates);

const asks = ({ phase }: Cell): boolean => phase === "approval" || phase === "answered";

/** Starts what performs the run of a cell, and the run itself. */
export async function begin(stage: Stage, cell: Cell): Promise<void> {
  const gate = gateOf(cell);
  stage.open(...allGates.filter((each) => each !== gate));
  await beginnings[cell.shape](stage, cell);
}

const beginnings: Record<Cell["shape"], (stage: Stage, cell: Cell) => Promise<unknown>> = {
  async "agent in a terminal"(stage, cell) {
    stage.start(terminalRun(stage, cell), { terminal: asks(cell) }).stdout?.resume();
  },
  async "agent in a terminal, with a server"(stage, cell) {
    await stage.serve(0);
    stage.start(terminalRun(stage, cell)).stdout?.resume();
  },
  async "agent of a task"(stage, cell) {
    await stage.serve(cell.phase === "queued" ? 0 : 4);
    void postTask(stage, cell);
  },
  async "detached agent"(stage, cell) {
    stage.start([...terminalRun(stage, cell), "--detach"]).stdout?.resume();
  },
  async "shell task"(stage, cell) {
    await stage.serve(cell.phase === "queued" ? 0 : 4);
    void postTask(stage, cell);
  },
  async "shell task of spoor work"(stage, cell) {
    await queueTask(stage, cell);
    await startWorker(stage, cell);
  },
  async loop(stage, cell) {
    await queueTask(stage, cell);
    await startWorker(stage, cell);
  },
  async patches() {},
};

/** Starts the worker of a shape that has no server. In the phase `queued`, it is killed before it can take the run. */
export async function startWorker(stage: Stage, { shape, phase }: Pick<Cell, "shape" | "phase">): Promise<void> {
  stage.worker = shape === "loop" ? stage.startLoopWorker() : stage.start(["work", "--json"]);
  if (phase !== "queued") await firstLine(stage.worker);
}

/** Asks the server for the task of a cell. Repeated requests make one task. */
export const postTask = (stage: Stage, cell: Cell) =>
  stage.post("/v1/tasks", { ...specOf(stage, cell), start: true }, { "idempotency-key": "the-task" });

async function queueTask(stage: Stage, cell: Cell): Promise<void> {
  const { log, data: directory } = stage;
  await createAndStart({ log, directory, canExecute: () => true, by: "campaign" }, readSpec(specOf(stage, cell)));
}

function terminalRun(stage: Stage, cell: Cell): string[] {
  const command = stage.agentCommand.map((word) => `"${word}"`).join(" ");
  const approve = asks(cell) ? "ask" : "yolo";
  return ["run", "claude", agentSteps(cell), "--command", command, "--approve", approve, "--cwd", stage.workspace];
}

function specOf(stage: Stage, cell: Cell): TaskSpec {
  const workspace = { path: stage.workspace };
  if (cell.shape.startsWith("shell")) {
    const gate = `touch '${stage.gates}/at-tool'; while [ ! -e '${stage.gates}/go-tool' ]; do sleep 0.02; done`;
    return { kind: "shell", command: `echo last >> effects; ${gate}`, workspace };
  }
  if (cell.shape === "loop") {
    const calls = [
      { id: "c1", line: "first", asks: asks(cell) },
      { id: "c2", line: "last" },
    ];
    return { kind: "agent_loop", prompt: JSON.stringify(calls), workspace };
  }
  const approve = asks(cell) ? "ask" : "yolo";
  return {
    kind: "agent",
    agent: "claude",
    prompt: agentSteps(cell),
    agent_command: stage.agentCommand,
    approve,
    workspace,
  };
}

function agentSteps(cell: Cell): string {
  const call = (id: string, line: string) => ({
    begin: id,
    tool: "Bash",
    input: { command: `echo ${line} >> effects` },
  });
  return JSON.stringify([
    { gate: "model" },
    call("c1", "first"),
    ...(asks(cell) ? [{ ask: "c1" }] : []),
    { append: "first", to: "effects" },
    { gate: "tool" },
    { end: "c1" },
    { gate: "result" },
    call("c2", "last"),
    { append: "last", to: "effects" },
    { end: "c2" },
    { gate: "finish" },
  ]);
}
