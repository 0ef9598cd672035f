import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";

export interface EmitterOptions {
  runId: string;
  agent: string;
  /** Epoch milliseconds. */
  now(): number;
  /** The raw line of the events being made; present in debug mode only. */
  raw?(): string | undefined;
}

/** Adds run id, agent and time to events. The time never goes back, even if the clock does. */
export class Emitter {
  readonly runId: string;
  readonly #options: EmitterOptions;
  readonly #out: (event: AgentEvent) => void;
  #time = 1;

  constructor(options: EmitterOptions, out: (event: AgentEvent) => void) {
    this.runId = options.runId;
    this.#options = options;
    this.#out = out;
  }

  get time(): number {
    this.#time = Math.max(this.#time, Math.floor(this.#options.now()));
    return this.#time;
  }

  emit<T extends AgentEventTypeLiteral>(
    type: T,
    fields: Omit<AgentEventOf<T>, "type" | "runId" | "agent" | "timestamp">,
  ): void {
    const { agent } = this.#options;
    this.#send({ type, runId: this.runId, agent, timestamp: this.time, ...fields } as unknown as AgentEvent);
  }

  /** Emits the most frequent events without copying their fields. */
  delta(type: "text_delta" | "thinking_delta", delta: string, accumulated: string): void {
    const { agent } = this.#options;
    this.#send({ type, runId: this.runId, agent, timestamp: this.time, delta, accumulated });
  }

  /** Emits an event whose type is among its fields. */
  fact<F extends { type: AgentEventTypeLiteral }>({ type, ...fields }: F): void {
    this.emit(type, fields as never);
  }

  #send(event: AgentEvent): void {
    const line = this.#options.raw?.();
    if (line !== undefined) event.raw = line;
    this.#out(event);
  }
}
