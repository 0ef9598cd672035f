import { LOST } from "../gaps.ts";

/** Chunks name the types of their events by numbers, so that a store can skip chunks that a filter does not accept. */
export interface EventTypes {
  /** The code of a type. A new type gets its code within the transaction that is open. */
  code(name: string): number;
  isKnown(name: string): boolean;
  /** The codes of the types that a filter accepts, and of `gap.events_lost`, which every reader receives. */
  accepted(match: (type: string) => boolean): ReadonlySet<number>;
  /** Forgets the cached codes. Call it after a transaction that may have added codes was rolled back. */
  forget(): void;
}

/** The store's table of types. Codes are only ever added, in rising order. */
export interface TypeTable {
  find(name: string): number | undefined;
  add(name: string): number;
  listAfter(code: number): Iterable<{ code: number; name: string }>;
}

export function createEventTypes(table: TypeTable): EventTypes {
  const codes = new Map<string, number>();
  const filters = new WeakMap<(type: string) => boolean, { upTo: number; codes: Set<number> }>();
  return {
    code(name) {
      const known = codes.get(name);
      if (known !== undefined) return known;
      const code = table.find(name) ?? table.add(name);
      codes.set(name, code);
      return code;
    },
    isKnown: (name) => codes.has(name),
    accepted(match) {
      const filter = filters.get(match) ?? { upTo: 0, codes: new Set() };
      for (const { code, name } of table.listAfter(filter.upTo)) {
        if (name === LOST || match(name)) filter.codes.add(code);
        filter.upTo = code;
      }
      filters.set(match, filter);
      return filter.codes;
    },
    forget() {
      codes.clear();
    },
  };
}

/** The set of types in a chunk as its row stores it: each code between spaces. */
export const typeSet = (codes: Iterable<number>): string => ` ${[...codes].sort((a, b) => a - b).join(" ")} `;

export const typesIn = (types: string): number[] => types.trim().split(" ").map(Number);
