import {
  type AgentEvent,
  type AgentEventCategory,
  type AgentEventIn,
  type AgentEventOf,
  type AgentEventTypeLiteral,
  agentEventCategories,
} from "./catalog.ts";

export { isTerminalEvent } from "./terminal.ts";

/**
 * Narrows an event to one type.
 *
 * @example
 * ```ts
 * import { type AgentEvent, isEventType } from "@spoor/protocol";
 *
 * declare const event: AgentEvent;
 * if (isEventType(event, "tool_result")) console.log(event.toolName, event.output);
 * ```
 */
export function isEventType<T extends AgentEventTypeLiteral>(event: AgentEvent, type: T): event is AgentEventOf<T> {
  return event.type === type;
}

/** Whether an event belongs to the session category. */
export const isSessionEvent = inCategory("session");
/** Whether an event belongs to the turn category. */
export const isTurnEvent = inCategory("turn");
/** Whether an event belongs to the text category. */
export const isTextEvent = inCategory("text");
/** Whether an event belongs to the thinking category. */
export const isThinkingEvent = inCategory("thinking");
/** Whether an event belongs to the tool category. */
export const isToolEvent = inCategory("tool");
/** Whether an event belongs to the file category. */
export const isFileEvent = inCategory("file");
/** Whether an event belongs to the shell category. */
export const isShellEvent = inCategory("shell");
/** Whether an event belongs to the MCP category. */
export const isMcpEvent = inCategory("mcp");
/** Whether an event belongs to the subagent category. */
export const isSubagentEvent = inCategory("subagent");
/** Whether an event belongs to the plugin category. */
export const isPluginEvent = inCategory("plugin");
/** Whether an event belongs to the skill category. */
export const isSkillEvent = inCategory("skill");
/** Whether an event belongs to the multimodal category. */
export const isMultimodalEvent = inCategory("multimodal");
/** Whether an event belongs to the cost category. */
export const isCostEvent = inCategory("cost");
/** Whether an event belongs to the interaction category. */
export const isInteractionEvent = inCategory("interaction");
/** Whether an event belongs to the rate limit category. */
export const isRateLimitEvent = inCategory("rateLimit");
/** Whether an event belongs to the run lifecycle category. */
export const isRunLifecycleEvent = inCategory("runLifecycle");
/** Whether an event belongs to the error category. */
export const isErrorEvent = inCategory("error");
/** Whether an event belongs to the debug category. */
export const isDebugEvent = inCategory("debug");

/** Whether the event carries a correlation key such as `toolCallId`. */
export function hasCorrelationKey(event: AgentEvent, key: string): boolean {
  return key in event;
}

function inCategory<Category extends AgentEventCategory>(category: Category) {
  const types = new Set<string>(agentEventCategories[category].events.map((schema) => schema.properties.type.const));
  return (event: AgentEvent): event is AgentEventIn<Category> => types.has(event.type);
}
