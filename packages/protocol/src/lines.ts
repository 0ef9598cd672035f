/** What stored lines are made of, without the mapping of AgentEvents: for programs that must start fast and store drafts. */
export { isRetriable, lostRun, retriableErrorCodes } from "./agent-events/failures.ts";
export { isReservedType } from "./envelope/groups.ts";
export { isTerminalRunType } from "./envelope/terminal.ts";
export { SCHEMA_VERSION } from "./envelope/version.ts";
export { createEnvelopeWriter, instant, type RunIds, type Writable } from "./mapping/write.ts";
