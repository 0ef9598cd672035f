import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import type { Turns } from "./turns.ts";

/** Emits one start and one end for each subagent; the end may come turns later. */
export class Subagents {
  /** Names of the running subagents, by id. */
  readonly #open = new Map<string, string>();
  readonly #all = new Set<string>();
  /** Run ids of the subagents that have a separate run. */
  readonly childRunIds = new Map<string, string>();
  readonly #emitter: Emitter;
  readonly #turns: Turns;

  constructor(emitter: Emitter, turns: Turns) {
    this.#emitter = emitter;
    this.#turns = turns;
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  spawn({ id, name, prompt, childRunId = this.childRunIds.get(id) }: Extract<Signal, { kind: "spawn" }>): void {
    if (this.#all.has(id)) return;
    this.#all.add(id);
    this.#open.set(id, name);
    this.#turns.phase("tool_use");
    this.#emitter.emit("subagent_spawn", {
      subagentId: id,
      agentName: name,
      prompt,
      ...(childRunId && { childRunId }),
    });
  }

  end({ id, summary = "", error, cost }: Extract<Signal, { kind: "spawnEnd" }>): void {
    const agentName = this.#open.get(id);
    if (agentName === undefined) return;
    this.#open.delete(id);
    this.#turns.ensure();
    const of = { subagentId: id, agentName };
    if (error === undefined) this.#emitter.emit("subagent_result", { ...of, summary, ...(cost && { cost }) });
    else this.#emitter.emit("subagent_error", { ...of, error });
  }

  close(why: string): void {
    for (const id of [...this.#open.keys()]) this.end({ kind: "spawnEnd", id, error: why });
  }
}
