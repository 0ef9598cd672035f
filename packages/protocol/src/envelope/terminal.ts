import type { EnvelopeType } from "./catalog.ts";

/** The dotted types that end a run. */
export const terminalRunTypes = ["run.finished", "run.failed", "run.cancelled"] as const satisfies EnvelopeType[];

/** Whether a dotted type ends a run. */
export const isTerminalRunType = (type: string): boolean => (terminalRunTypes as readonly string[]).includes(type);
