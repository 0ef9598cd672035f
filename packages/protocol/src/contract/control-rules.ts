import {
  type AgentEvent,
  type AgentEventOf,
  type AgentEventTypeLiteral,
  isAgentEventType,
} from "../agent-events/catalog.ts";
import { isTerminalEvent } from "../agent-events/guards.ts";
import type { Report } from "./finding.ts";
import { quote } from "./tool-calls.ts";

/** Rules about the whole run: its end, pauses, retries, fallbacks and plugins. */
export class ControlRules {
  #terminal: string | undefined;
  #paused = false;
  #rateLimited = false;
  readonly #fallbacks = new Set<string>();
  readonly #plugins = new Set<string>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Returns whether the event should be checked further. After a terminal event only the end of the run is checked. */
  enter(event: AgentEvent): boolean {
    if (this.#terminal !== undefined && event.type !== "session_end") {
      const rule = isTerminalEvent(event) ? "terminal.once" : "terminal.last";
      this.#report.violation(rule, `${event.type} comes after ${this.#terminal}.`);
      return false;
    }
    if (this.#rateLimited && !afterRateLimit.has(event.type) && !isTerminalEvent(event)) {
      this.#report.violation(
        "rate_limit.next",
        `${event.type} comes after rate_limit_error without a retry between them.`,
      );
      this.#rateLimited = false;
    }
    if (this.#paused && opening.has(event.type)) {
      this.#report.violation("pause.quiet", `${event.type} comes while the run is paused.`);
    }
    if (isTerminalEvent(event)) this.#terminal = event.type;
    return true;
  }

  on(event: AgentEvent): void {
    switch (event.type) {
      case "rate_limit_error":
        this.#rateLimited = true;
        break;
      case "retry":
        this.#rateLimited = false;
        this.#retry(event);
        break;
      case "paused":
      case "resumed":
        this.#pause(event.type === "paused");
        break;
      case "stream_fallback":
        if (this.#fallbacks.has(event.capability)) {
          this.#report.violation("fallback.once", `stream_fallback for ${event.capability} comes a second time.`);
        }
        this.#fallbacks.add(event.capability);
        break;
      case "plugin_loaded":
        this.#plugins.add(event.pluginId);
        break;
      case "plugin_invoked":
        if (!this.#plugins.has(event.pluginId) && !this.#report.joined) {
          this.#report.violation(
            "plugin.loaded",
            `plugin_invoked names ${quote(event.pluginId)}, which was not loaded.`,
          );
        }
        break;
    }
  }

  #pause(paused: boolean): void {
    if (this.#paused === paused && !(this.#report.joined && !paused)) {
      this.#report.violation(
        "pause.order",
        paused ? "paused comes while the run is paused." : "resumed comes while the run is not paused.",
      );
    }
    this.#paused = paused;
  }

  #retry({ attempt, maxAttempts }: AgentEventOf<"retry">): void {
    if (maxAttempts > 0 && attempt > maxAttempts) {
      this.#report.violation("retry.attempt", `The retry has number ${attempt}, but the maximum is ${maxAttempts}.`);
    }
  }
}

/** Events that close spans or report facts, so they may come between a rate_limit_error and the retry or the end. */
const afterRateLimit = new Set<AgentEventTypeLiteral>([
  "retry",
  "session_end",
  "session_checkpoint",
  "rate_limited",
  "rate_limit_error",
  "message_stop",
  "thinking_stop",
  "shell_exit",
  "tool_call_ready",
  "tool_error",
  "mcp_tool_error",
  "subagent_error",
  "approval_denied",
  "step_end",
  "turn_end",
  "cost",
  "token_usage",
  "paused",
  "resumed",
]);

/** Events that start work or report progress. */
const opening = new Set<AgentEventTypeLiteral>([
  "turn_start",
  "step_start",
  "message_start",
  "text_delta",
  "thinking_start",
  "thinking_delta",
  "tool_call_start",
  "tool_input_delta",
  "mcp_tool_call_start",
  "shell_start",
  "subagent_spawn",
  "approval_request",
  "input_required",
]);

export const isDomainEvent = (event: { type: string }): boolean =>
  isAgentEventType(event.type) && event.type !== "debug" && event.type !== "log";
