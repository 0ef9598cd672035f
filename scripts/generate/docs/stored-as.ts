import { mappingTable } from "../../../packages/protocol/src/mapping/table.ts";

const written = mappingTable.filter((row) => !row.readOnly);

/** The types an AgentEvent is stored under: one, unless what it says decides between several. */
export const primaryTypes = (event: string): string[] =>
  unique(written.filter((row) => row.event === event).map((row) => row.type));

/** The AgentEvents that are stored under a type. */
export const primaryEvents = (type: string): string[] =>
  unique(written.filter((row) => row.type === type).map((row) => row.event));

/** The AgentEvents beside which a type is written. */
export const derivingEvents = (type: string): string[] =>
  unique(written.filter((row) => row.derived?.some((derived) => derived.type === type)).map((row) => row.event));

const unique = (names: string[]): string[] => [...new Set(names)];
