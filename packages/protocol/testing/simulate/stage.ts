import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "../../src/agent-events/catalog.ts";
import { costSources } from "../../src/agent-events/cost-sources.ts";

/** The state of a simulation: the tape, the clock, the ids and the events so far. */
export class Stage {
  readonly events: AgentEvent[] = [];
  readonly #tape: readonly number[];
  readonly #texts: readonly string[];
  #position = 0;
  #time = Date.UTC(2026, 10, 2);
  #ids = 0;

  constructor(tape: readonly number[], texts: readonly string[]) {
    this.#tape = tape;
    this.#texts = texts;
  }

  get hasTape(): boolean {
    return this.#position < this.#tape.length;
  }

  /** Returns the next number of the tape modulo `limit`; 0 when the tape is over. */
  pick(limit: number): number {
    const value = this.#tape[this.#position++] ?? 0;
    return limit > 0 ? value % limit : 0;
  }

  one<const Value>(values: readonly Value[]): Value {
    return values[this.pick(values.length)] as Value;
  }

  /** An optional field that is present or absent. */
  maybe<const Name extends string, Value>(name: Name, value: Value): { [K in Name]?: Value } {
    return (this.pick(2) === 1 ? { [name]: value } : {}) as { [K in Name]?: Value };
  }

  /** Calls one of several functions. */
  play(actions: readonly (() => void)[]): void {
    actions[this.pick(actions.length)]?.();
  }

  word(): string {
    return this.#texts[this.pick(this.#texts.length)] ?? "";
  }

  id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${this.#ids}`;
  }

  cost() {
    return {
      totalUsd: this.pick(100_000) / 123_457,
      inputTokens: this.pick(9999),
      outputTokens: this.pick(999),
      ...this.maybe("thinkingTokens", this.pick(99)),
      ...this.maybe("cachedTokens", this.pick(99)),
      ...this.maybe("cacheWriteTokens", this.pick(99)),
      ...this.maybe("source", this.one(costSources)),
    };
  }

  emit<T extends AgentEventTypeLiteral>(
    type: T,
    fields: Omit<AgentEventOf<T>, "type" | "runId" | "agent" | "timestamp">,
  ): void {
    this.#time += this.pick(3) * 7;
    const base = { type, runId: "01K9ZC0000SP00R00000000000", agent: "claude", timestamp: this.#time };
    this.events.push({ ...base, ...fields } as unknown as AgentEvent);
  }
}
