import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "../../src/agent-events/catalog.ts";
import { isTerminalEvent } from "../../src/agent-events/guards.ts";
import type { EventRuleId } from "../../src/contract/rules.ts";

/**
 * One way to break one rule: where in a valid stream it can be applied, and what it changes. It is applied only where it
 * breaks the rule, so the checker must report it.
 */
export interface Mutation<Item, RuleId> {
  rule: RuleId;
  does: string;
  sites(items: readonly Item[]): number[];
  apply(items: readonly Item[], site: number): Item[];
}

export type Events = readonly AgentEvent[];
export type EventMutation = Mutation<AgentEvent, EventRuleId>;

export type Patch = Record<string, unknown>;
export type NewEvent = { type: AgentEventTypeLiteral } & Patch;
export type Sites = (events: Events) => number[];

export function alter(
  rule: EventRuleId,
  does: string,
  sites: Sites,
  patch: (event: AgentEvent, events: Events, at: number) => Patch,
): EventMutation {
  return {
    rule,
    does,
    sites,
    apply: (events, at) =>
      events.map((event, index) => (index === at ? ({ ...event, ...patch(event, events, at) } as AgentEvent) : event)),
  };
}

export function drop(rule: EventRuleId, sites: Sites): EventMutation {
  return { rule, does: "drops the event", sites, apply: (events, at) => events.toSpliced(at, 1) };
}

export function double(rule: EventRuleId, sites: Sites): EventMutation {
  return {
    rule,
    does: "repeats the event",
    sites,
    apply: (events, at) => events.toSpliced(at, 0, events[at] as AgentEvent),
  };
}

export function insert(
  rule: EventRuleId,
  does: string,
  sites: Sites,
  make: (event: AgentEvent) => NewEvent[],
): EventMutation {
  return {
    rule,
    does,
    sites,
    apply: (events, at) => {
      const event = events[at] as AgentEvent;
      const base = { runId: event.runId, agent: event.agent, timestamp: event.timestamp };
      const added = make(event).map((fields) => ({ ...base, ...fields }) as unknown as AgentEvent);
      return events.toSpliced(at + 1, 0, ...added);
    },
  };
}

const indices = (events: Events, test: (event: AgentEvent, at: number) => boolean): number[] =>
  events.flatMap((event, at) => (test(event, at) ? [at] : []));

export function everywhere(events: Events): number[] {
  return indices(events, () => true);
}

export function afterFirst(events: Events): number[] {
  return indices(events, (_, at) => at > 0);
}

export function terminals(events: Events): number[] {
  return indices(events, isTerminalEvent);
}

export function of(...types: AgentEventTypeLiteral[]): Sites {
  return (events) => indices(events, (event) => types.includes(event.type));
}

export function where(type: AgentEventTypeLiteral, test: (events: Events, at: number) => boolean): Sites {
  return (events) => indices(events, (event, at) => event.type === type && test(events, at));
}

export function startsThat(test: (start: AgentEventOf<"session_start">, events: Events) => boolean): Sites {
  return (events) => indices(events, (event) => event.type === "session_start" && test(event, events));
}

export function namesCall(events: Events, at: number): boolean {
  return callId(events[at] as AgentEvent) !== "";
}

export function someAfter(events: Events, at: number, type: AgentEventTypeLiteral): boolean {
  return events.slice(at + 1).some((event) => event.type === type);
}

export function nextIn(events: Events, at: number, types: AgentEventTypeLiteral[]): string | undefined {
  return events.slice(at + 1).find((event) => types.includes(event.type))?.type;
}

export function previousIn(events: Events, at: number, types: AgentEventTypeLiteral[]): string | undefined {
  return events.slice(0, at).findLast((event) => types.includes(event.type))?.type;
}

export function nextOfCall(events: Events, at: number, types: AgentEventTypeLiteral[]): string | undefined {
  const id = callId(events[at] as AgentEvent);
  return events.slice(at + 1).find((event) => callId(event) === id && types.includes(event.type))?.type;
}

export function answerTo(events: Events, at: number): AgentEvent | undefined {
  const id = questionId(events[at] as AgentEvent);
  return events.slice(at + 1).find((event) => questionId(event) === id);
}

export function answersRequest(events: Events, at: number): boolean {
  const id = questionId(events[at] as AgentEvent);
  return events.slice(0, at).some((event) => event.type === "approval_request" && event.interactionId === id);
}

/** The first action of a granted call that only its approval allows. */
export function workAfterGrant(events: Events, at: number): number | undefined {
  const asked = events.find(
    (event) => event.type === "approval_request" && event.interactionId === questionId(events[at] as AgentEvent),
  );
  const id = asked && callId(asked);
  const found = events.findIndex((event, index) => index > at && callId(event) === id);
  const work = ["shell_start", "tool_result", "file_read", "file_write", "file_create", "file_delete", "file_patch"];
  return id !== undefined && work.includes(events[found]?.type ?? "") ? found : undefined;
}

export const sessionId = (event: AgentEvent): string => (event as AgentEventOf<"session_start">).sessionId;
export const callId = (event: AgentEvent): string => (event as { toolCallId?: string }).toolCallId ?? "";
export const subagentId = (event: AgentEvent): string => (event as { subagentId?: string }).subagentId ?? "";
export const questionId = (event: AgentEvent): string => (event as { interactionId?: string }).interactionId ?? "";
