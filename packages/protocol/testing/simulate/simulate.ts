import type { AgentEvent } from "../../src/agent-events/catalog.ts";
import { aside, endingCount, endRun, inTurn, noise, SESSION } from "./facts.ts";
import { SimulatedHelpers } from "./helpers.ts";
import { SimulatedCalls } from "./simulate-calls.ts";
import { SimulatedSpeech } from "./speech.ts";
import { Stage } from "./stage.ts";

/**
 * Simulates an agent that keeps the contract. Each number of the tape selects the next event among all allowed ones. So any
 * list of numbers gives a valid stream, calls and subagents interleave freely, and a shorter tape gives a shorter stream,
 * which property tests need for shrinking.
 */
export function simulate(tape: readonly number[], texts: readonly string[] = ["a", "Grüße ", "🦶\n"]): AgentEvent[] {
  const stage = new Stage(tape, texts);
  // Chosen first, so that a tape of any length can have every ending.
  const ending = stage.pick(endingCount);
  const trailing = stage.pick(2) === 1;
  const { prior, plugins } = open(stage);
  const run = new SimulatedRun(stage, plugins);
  while (stage.hasTape) stage.play(run.actions());
  run.finish();
  endRun(stage, ending);
  const cost = stage.maybe("cost", stage.cost());
  stage.emit("session_end", { sessionId: SESSION, turnCount: prior + run.turns, ...cost });
  if (trailing) noise(stage);
  return stage.events;
}

function open(stage: Stage): { prior: number; plugins: string[] } {
  if (stage.pick(3) === 1) noise(stage);
  const resumed = stage.pick(3) === 1;
  const forkedFrom = stage.pick(3) === 1 ? "earlier" : undefined;
  const parentRunId = stage.maybe("parentRunId", "01K9ZC0000PARENT0000000000");
  stage.emit("session_start", { sessionId: SESSION, resumed, ...(forkedFrom && { forkedFrom }), ...parentRunId });
  const prior = resumed ? stage.pick(9) : 0;
  if (resumed) stage.emit("session_resume", { sessionId: SESSION, priorTurnCount: prior });
  if (forkedFrom) stage.emit("session_fork", { sessionId: SESSION, forkedFrom });
  const plugins = Array.from({ length: stage.pick(3) }, () => stage.id("plugin"));
  for (const pluginId of plugins) stage.emit("plugin_loaded", { pluginId, pluginName: stage.word(), version: "" });
  if (stage.pick(3) === 1) stage.emit("skill_loaded", { skillName: "review", source: "built-in" });
  if (stage.pick(3) === 1) stage.emit("agentdoc_read", { path: "AGENTS.md" });
  return { prior, plugins };
}

class SimulatedRun {
  turns = 0;
  readonly #stage: Stage;
  readonly #plugins: readonly string[];
  readonly #calls: SimulatedCalls;
  readonly #helpers: SimulatedHelpers;
  readonly #speech: SimulatedSpeech;
  readonly #fallbacks = new Set<string>();
  #inTurn = false;
  #paused = false;
  #step: number | undefined;
  #nextStep = 0;

  constructor(stage: Stage, plugins: readonly string[]) {
    this.#stage = stage;
    this.#plugins = plugins;
    this.#calls = new SimulatedCalls(stage);
    this.#helpers = new SimulatedHelpers(stage);
    this.#speech = new SimulatedSpeech(stage);
  }

  /** Everything that is allowed now. */
  actions(): (() => void)[] {
    if (this.#paused) return [() => this.#pause(false), () => noise(this.#stage)];
    const anywhere = [() => noise(this.#stage), () => aside(this.#stage, this.#fallbacks), () => this.#pause(true)];
    if (!this.#inTurn) return [...anywhere, ...Array.from({ length: 3 }, () => () => this.#startTurn())];
    return [
      ...anywhere,
      () => inTurn(this.#stage, this.#plugins),
      () => this.#lateFile(),
      () => this.#calls.start(),
      () => this.#helpers.startMcp(),
      () => this.#helpers.spawn(),
      () => (this.#step === undefined ? this.#startStep() : this.#endStep()),
      () => this.#endTurn(),
      ...this.#speech.actions,
      ...this.#calls.ids.flatMap((id) => [() => this.#calls.advance(id), () => this.#calls.advance(id)]),
      ...this.#helpers.mcpIds.map((id) => () => this.#helpers.endMcp(id)),
      ...this.#helpers.subagentIds.map((id) => () => this.#helpers.endSubagent(id)),
    ];
  }

  finish(): void {
    if (this.#paused) this.#pause(false);
    // A subagent may outlive its turn, but must end inside a turn.
    if (!this.#inTurn && this.#helpers.subagentIds.length > 0) this.#startTurn();
    for (const id of this.#helpers.subagentIds) this.#helpers.endSubagent(id);
    if (this.#inTurn) this.#endTurn();
  }

  #pause(paused: boolean): void {
    this.#paused = paused;
    this.#stage.emit(paused ? "paused" : "resumed", {});
  }

  #startTurn(): void {
    this.#inTurn = true;
    this.#nextStep = 0;
    const by = { ...this.#stage.maybe("model", "m"), ...this.#stage.maybe("provider", "p") };
    this.#stage.emit("turn_start", { turnIndex: this.turns, ...by });
    this.turns += 1;
  }

  #endTurn(): void {
    this.#speech.finish();
    this.#calls.finish();
    for (const id of this.#helpers.mcpIds) this.#helpers.endMcp(id);
    if (this.#step !== undefined) this.#endStep();
    this.#inTurn = false;
    this.#stage.emit("turn_end", {
      turnIndex: this.turns - 1,
      ...this.#stage.maybe("cost", this.#stage.cost()),
      ...this.#stage.maybe("stopReason", this.#stage.one(["end_turn", "tool_use", "max_tokens"])),
    });
  }

  #startStep(): void {
    this.#step = this.#nextStep++;
    const stepType = this.#stage.one(["thinking", "generation", "tool_use", "review"]);
    this.#stage.emit("step_start", { turnIndex: this.turns - 1, stepIndex: this.#step, stepType });
  }

  #endStep(): void {
    this.#stage.emit("step_end", { turnIndex: this.turns - 1, stepIndex: this.#step as number });
    this.#step = undefined;
  }

  /** A file event after the call that changed the file, by an agent that does not report the call. */
  #lateFile(): void {
    if (this.#calls.ended !== undefined) this.#calls.touchFile(undefined);
  }
}
