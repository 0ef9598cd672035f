import type { Adapter, Machine } from "../packages/spoor/src/agents/machine.ts";

/** An adapter that reads as before and also passes every line of the agent to `hear`. */
export function listening(adapter: Adapter, hear: (line: string) => void): Adapter {
  return {
    ...adapter,
    dialects: adapter.dialects.map((dialect) => ({
      ...dialect,
      createMachine: (...options) => heard(dialect.createMachine(...options), hear),
    })),
  };
}

/** A proxy, so that all other methods of the machine still work on the machine itself. */
function heard(machine: Machine, hear: (line: string) => void): Machine {
  const line = (text: string) => {
    hear(text);
    return machine.line(text);
  };
  return new Proxy(machine, {
    get(_, name) {
      if (name === "line") return line;
      const member = Reflect.get(machine, name);
      return typeof member === "function" ? member.bind(machine) : member;
    },
  });
}
