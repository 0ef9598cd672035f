import type { EnvelopeType } from "./catalog.ts";

export const terminalRunTypes = ["run.finished", "run.failed", "run.cancelled"] as const satisfies EnvelopeType[];

export const isTerminalRunType = (type: string): boolean => (terminalRunTypes as readonly string[]).includes(type);
