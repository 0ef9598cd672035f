import type { Envelope } from "../../packages/protocol/src/index.ts";
import { allRuns, judgeRuns, processesLeft } from "../crash/judge.ts";
import { rowOf } from "./matrix.ts";
import { INTERRUPTED, NOT_BEGUN, stepOf } from "./script.ts";
import type { LoopStage } from "./stage.ts";

/** What was seen in a case, beside broken promises. */
export interface Judgement {
  broken: string[];
  /** Calls that were cut off, by whether they had left their line. */
  interrupted: { happened: number; not: number };
  notBegun: number;
}

/** What must hold once all runs of a case are over. */
export async function judge(stage: LoopStage, run_id: string): Promise<Judgement> {
  const { end = "completed" } = rowOf(stage.cell.phase);
  const broken = await judgeRuns(stage);
  const { status, error_code } = await stage.run(run_id);
  if (status !== end) broken.push(`the run is ${status} (${error_code}), not ${end}`);
  const effects = stage.effects();
  const twice = effects.filter((line, index) => effects.indexOf(line) !== index);
  if (twice.length > 0) broken.push(`was done twice: ${twice.join(", ")}`);
  const seen: Judgement = { broken, interrupted: { happened: 0, not: 0 }, notBegun: 0 };
  for (const run of await allRuns(stage)) {
    for (const call of callsIn(await stage.events(run.run_id))) judgeCall(stage, call, run.status, seen);
    broken.push(...(await processesLeft(stage, run.run_id)));
  }
  const foreign = stage.foreignFiles();
  if (foreign.length > 0) broken.push(`the workspace also holds ${foreign.join(", ")}`);
  const trace = /^.*\n\s+at .+:\d+:\d+/m.exec(stage.errors)?.[0];
  if (trace !== undefined) broken.push(`a process printed a stack trace: ${trace}`);
  return seen;
}

interface StoredCall {
  id: string;
  step: string;
  starts: number;
  ends: Envelope[];
  /** Whether the process was lost while the call ran. */
  isCut: boolean;
  /** Whether what the model said in the turn of the call was stored whole. Otherwise the turn is repeated. */
  isKept: boolean;
  turn: unknown;
}

function callsIn(events: readonly Envelope[]): StoredCall[] {
  const calls = new Map<string, StoredCall>();
  for (const event of events) {
    const { type, data } = event;
    const id = String(data.tool_call_id);
    if (type === "assistant.tool_call_proposed") {
      const step = stepOf({ input: JSON.stringify(data.input) }) ?? "unknown";
      calls.set(id, { id, step, starts: 0, ends: [], isCut: false, isKept: false, turn: data.turn_index });
    }
    const call = calls.get(id);
    if (call && type === "tool.started") call.starts += 1;
    if (call && /^tool\.(completed|failed|cancelled|timed_out)$|^policy\.tool_blocked$/.test(type))
      call.ends.push(event);
    if (type === "run.checkpoint_saved")
      for (const each of calls.values()) each.isKept ||= each.turn === data.turn_index;
    if (type === "gap.run_disconnected")
      for (const each of calls.values()) each.isCut ||= each.starts > 0 && each.ends.length === 0;
  }
  return [...calls.values()];
}

function judgeCall(stage: LoopStage, call: StoredCall, status: string, seen: Judgement): void {
  const { id, step, starts, ends, isCut } = call;
  const broken = (what: string) => seen.broken.push(`the call ${id} of ${step} ${what}`);
  const hasHappened = stage.effects().includes(step);
  // A subagent leaves no line itself.
  const isTraced = step !== "child";
  const [end] = ends;
  if (starts > 1) broken("was started twice");
  if (starts > 0 && !call.isKept) broken("was started before the turn was stored");
  if (ends.length !== 1 || !end) return void broken(`has ${ends.length} ends`);
  const error = String(end.data.error ?? "");
  if (end.type === "tool.completed" && isTraced && !hasHappened) broken("has a result, but did not happen");
  if (end.type === "tool.failed" && error === INTERRUPTED) seen.interrupted[hasHappened ? "happened" : "not"] += 1;
  else if (end.type === "tool.failed" && error.startsWith(NOT_BEGUN)) seen.notBegun += 1;
  else if (end.type !== "tool.completed" && status === "completed") broken(`ended with ${end.type}: ${error}`);
  if (isCut && status === "completed" && error !== INTERRUPTED)
    broken(`was cut off and ended with ${end.type}: ${error}`);
  if (error.startsWith(NOT_BEGUN) && starts > 0) broken("was started, and the model is told that it was not");
  if (status === "completed") judgeTold(stage, call, end, broken);
}

/** The model was told how the call ended, and never anything else. A conversation that was shortened does not hold it. */
function judgeTold(stage: LoopStage, { id, isKept }: StoredCall, end: Envelope, broken: (what: string) => void): void {
  const results = stage.model.requests.flatMap(({ calls }) => calls.filter((call) => call.id === id));
  const told = new Set(results.map(({ result }) => result));
  if (told.size === 0 && (!isKept || stage.cell.phase === "compacting")) return;
  const expected = end.type === "tool.completed" ? String(end.data.output) : String(end.data.error);
  if (told.size !== 1 || !told.has(expected))
    broken(`ended with "${expected.slice(0, 80)}", but the model was told ${JSON.stringify([...told]).slice(0, 200)}`);
}
