import type { CostRecord } from "@spoor/protocol";
import { given } from "../../../given.ts";
import { asArray, asObject, asObjects, asText, type Json, type JsonWire } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";

interface Child {
  wire: JsonWire;
  said: string;
  cost?: CostRecord;
}

/**
 * Subagents work in the background, long after the call that spawned them has ended. Their state is told whole, again
 * and again, and what they do themselves where that was asked for.
 */
export class Subagents {
  /** Whether what they do is told. */
  areTold = false;
  readonly #createWire: () => JsonWire;
  readonly #open = new Map<string, Child>();
  readonly #seen = new Set<string>();

  constructor(createWire: () => JsonWire) {
    this.#createWire = createWire;
  }

  /** The states in a result of the call that spawned them: what is new in them. */
  results(result: Json): Signal[] {
    return asObjects(asObject(result.details)?.progress).flatMap((state) => this.state(state));
  }

  state(state: Json): Signal[] {
    const id = asText(state.id);
    if (!id) return [];
    const prompt = asText(state.assignment) ?? asText(state.task) ?? "";
    const status = asText(state.status) ?? "";
    return [...this.#begin(id, prompt), ...(working.has(status) ? [] : this.#end(id, status, state))];
  }

  /** A frame of the subagent's own. */
  event({ id, event }: Json): Signal[] | undefined {
    const child = asText(id);
    const frame = asObject(event);
    if (!child || !frame) return undefined;
    const begun = this.#begin(child, "");
    const open = this.#open.get(child);
    const signals = open?.wire.frame(frame);
    if (!open || !signals) return undefined;
    for (const signal of signals) {
      if (signal.kind === "textDone") open.said = signal.text ?? open.said;
      if (signal.kind === "cost") open.cost = signal.cost;
    }
    return [...begun, ...signals.map((signal) => ({ ...signal, child }))];
  }

  #begin(id: string, prompt: string): Signal[] {
    if (this.#seen.has(id)) return [];
    this.#seen.add(id);
    this.#open.set(id, { wire: this.#createWire(), said: "" });
    return [{ kind: "spawn", id, name: id, prompt, ...(this.areTold && { tracked: true }) }];
  }

  #end(id: string, status: string, state: Json): Signal[] {
    const child = this.#open.get(id);
    if (!child) return [];
    this.#open.delete(id);
    const shown = asArray(state.recentOutput).filter((line) => typeof line === "string");
    const summary = reportOf(state) || child.said || shown.join("\n");
    if (status !== "completed") return [{ kind: "spawnEnd", id, error: asText(state.error) || status }];
    return [{ kind: "spawnEnd", id, summary, ...given({ cost: child.cost }) }];
  }
}

const working = new Set(["", "pending", "started", "running"]);

/** What it handed in, where it did. */
function reportOf({ extractedToolData }: Json): string | undefined {
  const data = asObjects(asObject(extractedToolData)?.yield).at(-1)?.data;
  return data === undefined ? undefined : (asText(data) ?? JSON.stringify(data));
}
