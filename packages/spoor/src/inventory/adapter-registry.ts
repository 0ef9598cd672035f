import { ADAPTER_CONTRACT_VERSION, type Adapter } from "../agents/machine.ts";
import { type Problem, ValidationError } from "../failures/errors.ts";
import { expecting, flag, isObject, listOf, matching, objectOf, text, unexpected } from "../options/checks.ts";
import { agentNotFound } from "./find-agent.ts";

/**
 * The adapters of a client by agent name. Active runs keep the adapter they started with.
 *
 * @example
 * const client = createClient();
 * client.adapters.register(adapter);
 * console.log(client.adapters.list().map(({ name }) => name));
 */
export class AdapterRegistry {
  readonly #adapters = new Map<string, Adapter>();

  constructor(adapters: readonly Adapter[]) {
    for (const adapter of adapters) this.#adapters.set(adapter.name, adapter);
  }

  list(): Adapter[] {
    return [...this.#adapters.values()];
  }

  has(name: string): boolean {
    return this.#adapters.has(name);
  }

  get(name: string): Adapter {
    const adapter = this.#adapters.get(name);
    if (adapter) return adapter;
    throw agentNotFound(name, [...this.#adapters.keys()]);
  }

  /** Adds an adapter, replacing one of the same name. Throws a `ValidationError` for a value that is not an adapter. */
  register(adapter: Adapter): void {
    const problems = adapterProblems(adapter);
    if (problems.length > 0) throw new ValidationError(problems);
    this.#adapters.set(adapter.name, adapter);
  }

  /** Removes an adapter. Returns whether there was one. */
  unregister(name: string): boolean {
    return this.#adapters.delete(name);
  }

  [Symbol.iterator](): Iterator<Adapter> {
    return this.#adapters.values();
  }
}

/** Lists why a value is not a valid adapter. Checks that its methods exist, without calling them. */
export function adapterProblems(value: unknown): Problem[] {
  if (!isObject(value)) return [unexpected(value, "adapter", "an object")];
  const { name, title, dialects, contractVersion = ADAPTER_CONTRACT_VERSION } = value;
  if (contractVersion !== ADAPTER_CONTRACT_VERSION) return [unsupportedVersion(name, contractVersion)];
  return [
    ...matching(/^[a-z0-9][a-z0-9-]{0,63}$/, "lower-case letters, digits and -")(name, "adapter.name"),
    ...text(title, "adapter.title"),
    ...listOf(dialectProblems, "a list of dialects")(dialects, "adapter.dialects"),
    ...(Array.isArray(dialects) && dialects.length === 0
      ? [{ field: "adapter.dialects", message: "adapter.dialects is empty. An adapter needs at least one dialect." }]
      : []),
  ];
}

const unsupportedVersion = (name: unknown, version: unknown): Problem => ({
  field: "adapter.contractVersion",
  message:
    `The adapter ${JSON.stringify(name)} was written for adapter contract ${JSON.stringify(version)}, but this version of Spoor ` +
    `supports only contract ${ADAPTER_CONTRACT_VERSION}. Install a newer Spoor or an older version of the adapter.`,
});

const method = expecting("a function", (value) => typeof value === "function");

const streams = objectOf({ text: flag, toolCalls: flag, thinking: flag }, ["text", "toolCalls", "thinking"]);

function dialectProblems(value: unknown, field: string): Problem[] {
  if (!isObject(value)) return [unexpected(value, field, "an object")];
  const { live } = value;
  return [
    ...text(value.name, `${field}.name`),
    ...streams(value.streams, `${field}.streams`),
    ...flag(value.canAsk, `${field}.canAsk`),
    ...method(value.recognises, `${field}.recognises`),
    ...method(value.createMachine, `${field}.createMachine`),
    ...(live === undefined ? [] : liveProblems(live, `${field}.live`)),
  ];
}

function liveProblems(value: unknown, field: string): Problem[] {
  if (!isObject(value)) return [unexpected(value, field, "an object")];
  return [
    ...expecting("text", (command) => typeof command === "string")(value.command, `${field}.command`),
    ...method(value.launch, `${field}.launch`),
    ...method(value.createDriver, `${field}.createDriver`),
    ...(value.takes === undefined ? [] : listOf(text)(value.takes, `${field}.takes`)),
  ];
}
