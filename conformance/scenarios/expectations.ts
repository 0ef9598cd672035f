import type { AgentEvent } from "../../packages/protocol/src/index.ts";
import type { Outcome } from "./scenario.ts";

export function completed({ result }: Outcome): string[] {
  return result.exitReason === "completed"
    ? []
    : [`It ended as ${result.exitReason}: ${result.error?.message ?? "no reason"}`];
}

export function said({ result }: Outcome, words: string): string[] {
  return result.text.includes(words) ? [] : [`It said ${JSON.stringify(result.text.slice(0, 80))}.`];
}

export function expectTurns({ result }: Outcome, turns: number): string[] {
  return result.turnCount === turns ? [] : [`It took ${result.turnCount} turns, not ${turns}.`];
}

export function expectEvent<T extends AgentEvent["type"]>(
  { events }: Outcome,
  type: T,
  test: (event: Extract<AgentEvent, { type: T }>) => boolean,
  what: string,
): string[] {
  const found = events.some((event) => event.type === type && test(event as Extract<AgentEvent, { type: T }>));
  return found ? [] : [`Missing: ${what}.`];
}

export function expectAtLeast({ events }: Outcome, type: AgentEvent["type"], count: number): string[] {
  const found = events.filter((event) => event.type === type).length;
  return found >= count ? [] : [`There are only ${found} ${type}.`];
}

export function expectCount({ events }: Outcome, type: AgentEvent["type"], count: number): string[] {
  const found = events.filter((event) => event.type === type).length;
  return found === count ? [] : [`There are ${found} ${type}, not ${count}.`];
}
