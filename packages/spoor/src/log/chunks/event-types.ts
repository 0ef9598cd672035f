import { LOST } from "../gaps.ts";
import type { DatabaseSync } from "../sqlite/driver.ts";

export interface EventTypes {
  /** The code of a type; a new one is given within the transaction that is open. */
  code(name: string): number;
  isKnown(name: string): boolean;
  /** The codes of the types a filter accepts, and of `gap.events_lost`: a loss is told to every reader. */
  accepted(match: (type: string) => boolean): ReadonlySet<number>;
  /** Forgets what was learnt: a transaction that gave codes was undone. */
  forget(): void;
}

export function createEventTypes(database: DatabaseSync): EventTypes {
  const find = database.prepare("SELECT code FROM event_types WHERE name = ?");
  const add = database.prepare("INSERT INTO event_types (name) VALUES (?)");
  const list = database.prepare("SELECT code, name FROM event_types WHERE code > ? ORDER BY code");
  const codes = new Map<string, number>();
  const filters = new WeakMap<(type: string) => boolean, { upTo: number; codes: Set<number> }>();
  return {
    code(name) {
      const known = codes.get(name);
      if (known !== undefined) return known;
      const code = Number(find.get(name)?.code ?? add.run(name).lastInsertRowid);
      codes.set(name, code);
      return code;
    },
    isKnown: (name) => codes.has(name),
    accepted(match) {
      const filter = filters.get(match) ?? { upTo: 0, codes: new Set() };
      // Codes are only ever added.
      for (const row of list.all(filter.upTo) as unknown as { code: number; name: string }[]) {
        if (row.name === LOST || match(row.name)) filter.codes.add(row.code);
        filter.upTo = row.code;
      }
      filters.set(match, filter);
      return filter.codes;
    },
    forget() {
      codes.clear();
    },
  };
}

/** The set of types in a chunk, as its row keeps it. */
export const typeSet = (codes: Iterable<number>): string => ` ${[...codes].sort((a, b) => a - b).join(" ")} `;

export const typesIn = (types: string): number[] => types.trim().split(" ").map(Number);
