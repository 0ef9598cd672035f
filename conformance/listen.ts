import type { Adapter, Machine } from "../packages/spoor/src/agents/machine.ts";

/** The adapter, which reads just as before, and every line the agent writes to it is also told to `hear`. */
export function listening(adapter: Adapter, hear: (line: string) => void): Adapter {
  return {
    ...adapter,
    dialects: adapter.dialects.map((dialect) => ({
      ...dialect,
      createMachine: (...options) => heard(dialect.createMachine(...options), hear),
    })),
  };
}

/** A proxy: whatever else a machine can do, it still can, and as itself. */
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
