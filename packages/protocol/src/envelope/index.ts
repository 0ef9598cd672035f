export { canonical } from "./aliases.ts";
export { approvalKinds } from "./approval.ts";
export { artifactKinds } from "./artifact.ts";
export * from "./catalog.ts";
export { type Definition, type Standing, standings } from "./define.ts";
export * from "./envelope.ts";
export * from "./ids.ts";
export { isTerminalRunType, terminalRunTypes } from "./terminal.ts";
