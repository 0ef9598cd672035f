import {
  type AgentEvent,
  type AgentEventCategory,
  type AgentEventIn,
  type AgentEventOf,
  type AgentEventTypeLiteral,
  agentEventCategories,
} from "./catalog.ts";

export { isTerminalEvent } from "./terminal.ts";

/** Narrows an event to one type. */
export function isEventType<T extends AgentEventTypeLiteral>(event: AgentEvent, type: T): event is AgentEventOf<T> {
  return event.type === type;
}

export const isSessionEvent = inCategory("session");
export const isTurnEvent = inCategory("turn");
export const isTextEvent = inCategory("text");
export const isThinkingEvent = inCategory("thinking");
export const isToolEvent = inCategory("tool");
export const isFileEvent = inCategory("file");
export const isShellEvent = inCategory("shell");
export const isMcpEvent = inCategory("mcp");
export const isSubagentEvent = inCategory("subagent");
export const isPluginEvent = inCategory("plugin");
export const isSkillEvent = inCategory("skill");
export const isMultimodalEvent = inCategory("multimodal");
export const isCostEvent = inCategory("cost");
export const isInteractionEvent = inCategory("interaction");
export const isRateLimitEvent = inCategory("rateLimit");
export const isRunLifecycleEvent = inCategory("runLifecycle");
export const isErrorEvent = inCategory("error");
export const isDebugEvent = inCategory("debug");

/** Whether the event carries a correlation key such as `toolCallId`. */
export function hasCorrelationKey(event: AgentEvent, key: string): boolean {
  return key in event;
}

function inCategory<Category extends AgentEventCategory>(category: Category) {
  const types = new Set<string>(agentEventCategories[category].events.map((schema) => schema.properties.type.const));
  return (event: AgentEvent): event is AgentEventIn<Category> => types.has(event.type);
}
