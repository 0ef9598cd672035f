import type { EnvelopeData, EnvelopeType } from "../src/envelope/catalog.ts";
import type { Outcome } from "../src/mapping/outcome.ts";
import { type Fact, record } from "./record.ts";
import { Script, type ScriptOptions } from "./script.ts";

/** A script that also contains the events of the runtime and of people: a whole recorded run. */
export class Story extends Script {
  readonly facts: Fact[] = [];
  readonly lateFacts: Omit<Fact, "after">[] = [];
  #outcome: Outcome | undefined;

  constructor(prompt: string, options: ScriptOptions = {}, before: (story: Story) => void = () => {}) {
    super(options);
    before(this);
    this.fact("run.started", { worker_id: "local" });
    this.fact("user.message", { turn_index: 0, text: prompt, via: "prompt" });
  }

  /** Adds an event of the runtime or of a person. */
  fact<T extends EnvelopeType>(type: T, data: EnvelopeData<T>): this {
    this.facts.push({ after: this.events.length, type, data });
    return this;
  }

  /** Replaces the primary envelope of the last event by the runtime's own. */
  instead<T extends EnvelopeType>(type: T, data: EnvelopeData<T>): this {
    this.facts.push({ after: this.events.length, type, data, instead: true });
    return this;
  }

  late<T extends EnvelopeType>(type: T, data: EnvelopeData<T>): this {
    this.lateFacts.push({ type, data });
    return this;
  }

  outcome(type: Outcome["type"], data: Outcome["data"]): this {
    this.#outcome = { type, data };
    return this;
  }

  /** The run as stored, one JSON text per line. */
  envelopes(): string[] {
    return record(this.events, {
      facts: this.facts,
      late: this.lateFacts,
      ...(this.#outcome && { outcome: this.#outcome }),
    });
  }
}
