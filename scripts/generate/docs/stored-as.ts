import { mappingTable } from "../../../packages/protocol/src/mapping/table.ts";

const written = mappingTable.filter((row) => !row.readOnly);

/** The types under which an AgentEvent is stored: one, or several that its fields decide between. */
export const primaryTypes = (event: string): string[] =>
  unique(written.filter((row) => row.event === event).map((row) => row.type));

/** The AgentEvents that are stored under a type. */
export const primaryEvents = (type: string): string[] =>
  unique(written.filter((row) => row.type === type).map((row) => row.event));

/** The AgentEvents that cause a derived envelope of this type. */
export const derivingEvents = (type: string): string[] =>
  unique(written.filter((row) => row.derived?.some((derived) => derived.type === type)).map((row) => row.event));

const unique = (names: string[]): string[] => [...new Set(names)];
