/**
 * The first parts of our own types. Nobody else may write names inside them, also those that no version has defined yet: a
 * later one may. Written out, so that programs that must start fast need not load the catalog.
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

/** What callers may write under a name of ours. */
const OPEN_TYPE = "external.event";

/** Whether a type belongs to one of our groups and is not for callers. */
export const isReservedType = (type: string): boolean =>
  type !== OPEN_TYPE && ownGroups.has(type.slice(0, type.indexOf(".")));
