/**
 * The first segments of our own types. Callers may not write types that start with them, even undefined ones, because a
 * later version may define them. They are listed here so that programs that must start fast need not load the catalog.
 */
export const ownGroups: ReadonlySet<string> = new Set([
  "approval",
  "artifact",
  "assistant",
  "cost",
  "debug",
  "error",
  "external",
  "gap",
  "input",
  "limit",
  "model",
  "plugin",
  "policy",
  "run",
  "session",
  "skill",
  "subagent",
  "task",
  "tool",
  "turn",
  "user",
]);

/** The one type of ours that callers may write. */
const OPEN_TYPE = "external.event";

/** Whether a type is reserved for Spoor, so that callers may not write it. */
export const isReservedType = (type: string): boolean =>
  type !== OPEN_TYPE && ownGroups.has(type.slice(0, type.indexOf(".")));
