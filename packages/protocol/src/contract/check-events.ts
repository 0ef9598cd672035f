import type { AgentEvent, AgentEventIn, AgentEventOf, AgentEventTypeLiteral } from "../agent-events/catalog.ts";
import {
  isFileEvent,
  isInteractionEvent,
  isMcpEvent,
  isMultimodalEvent,
  isShellEvent,
  isSubagentEvent,
  isTerminalEvent,
  isTextEvent,
  isThinkingEvent,
  isToolEvent,
} from "../agent-events/guards.ts";
import { Approvals } from "./approvals.ts";
import { ControlRules, isDomainEvent } from "./control-rules.ts";
import { checkEventShape } from "./event-shape.ts";
import { createReport, type Finding } from "./finding.ts";
import { SessionRules } from "./session-rules.ts";
import { Shells } from "./shells.ts";
import { Subagents } from "./subagents.ts";
import { TextSpan } from "./text-span.ts";
import { Calls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";

export interface Checker<Item> {
  /** Checks the next item and returns the findings. */
  add(item: Item): Finding[];
  /** Ends the stream and returns findings about what is missing. */
  end(): Finding[];
}

/**
 * Checks the AgentEvents of one run, one at a time. `joined` is for a stream that begins in the middle of a run: spans
 * whose start was not seen count as open.
 *
 * @example
 * ```ts
 * import { type AgentEvent, createEventChecker } from "@spoor/protocol";
 *
 * declare const events: AgentEvent[];
 * const checker = createEventChecker();
 * const findings = [...events.flatMap((event) => checker.add(event)), ...checker.end()];
 * console.log(findings.length === 0 ? "keeps the contract" : findings);
 * ```
 */
export function createEventChecker({ joined = false }: { joined?: boolean } = {}): Checker<unknown> {
  const report = createReport(joined);
  const session = new SessionRules(report);
  const control = new ControlRules(report);
  const turns = new Turns(report);
  const message = new TextSpan(report, "message");
  const thinking = new TextSpan(report, "thinking");
  const calls = new Calls(report);
  const shells = new Shells(report);
  const subagents = new Subagents(report);
  const approvals = new Approvals(report, calls);
  let first: AgentEvent | undefined;
  let time = 0;

  function add(item: unknown): Finding[] {
    report.index += 1;
    const event = checkEventShape(item, report);
    if (event) {
      checkBase(event);
      if (isDomainEvent(event)) checkOrder(event);
    }
    return report.take();
  }

  function checkBase(event: AgentEvent): void {
    first ??= event;
    if (event.runId !== first.runId)
      report.violation("base.run", `An event of run ${event.runId} is in the stream of run ${first.runId}.`);
    if (event.agent !== first.agent)
      report.violation("base.agent", `An event of agent ${event.agent} is in a run of ${first.agent}.`);
    if (event.timestamp < time)
      report.violation("base.time", `The timestamp goes back by ${time - event.timestamp} ms.`);
    time = Math.max(time, event.timestamp);
  }

  function checkOrder(event: AgentEvent): void {
    if (session.ended) {
      report.violation("session.last", `${event.type} comes after session_end.`);
      return;
    }
    if (!control.enter(event)) return;
    session.enter(event);
    if (belongsInTurn(event) && !turns.accepts) report.violation("turn.outside", `${event.type} comes outside a turn.`);
    if (event.type === "session_end" || isTerminalEvent(event)) closeRun(event.type);
    control.on(event);
    (handlers[event.type] as ((event: AgentEvent) => void) | undefined)?.(event);
  }

  const handlers: { [T in AgentEventTypeLiteral]?: (event: AgentEventOf<T>) => void } = {
    session_start: (event) => approvals.begin(event),
    session_end: (event) => session.end(event, turns.started),
    turn_start: (event) => turns.start(event),
    turn_end: (event) => {
      closeTurn(event.type);
      turns.end(event);
    },
    step_start: (event) => turns.startStep(event),
    step_end: (event) => turns.endStep(event),
    message_start: () => message.start(thinking),
    text_delta: (event) => message.delta(event.delta, event.accumulated),
    message_stop: (event) => message.stop(event.text),
    thinking_start: () => thinking.start(message),
    thinking_delta: (event) => thinking.delta(event.delta, event.accumulated),
    thinking_stop: (event) => thinking.stop(event.thinking),
    tool_call_start: (event) => calls.start(event),
    tool_input_delta: (event) => calls.input(event),
    tool_call_ready: (event) => calls.ready(event),
    tool_result: endCall,
    tool_error: endCall,
    mcp_tool_call_start: (event) => calls.startMcp(event),
    mcp_tool_result: (event) => calls.endMcp(event),
    mcp_tool_error: (event) => calls.endMcp(event),
    file_read: touchFile,
    file_write: touchFile,
    file_create: touchFile,
    file_delete: touchFile,
    file_patch: touchFile,
    shell_start: ({ toolCallId }) => {
      calls.shell(toolCallId);
      shells.start(toolCallId);
    },
    shell_stdout_delta: (event) => shells.output(event.type, event.toolCallId),
    shell_stderr_delta: (event) => shells.output(event.type, event.toolCallId),
    shell_exit: (event) => shells.exit(event.toolCallId),
    subagent_spawn: (event) => subagents.spawn(event),
    subagent_result: (event) => subagents.end(event),
    subagent_error: (event) => subagents.end(event),
    approval_request: (event) => approvals.request(event),
    input_required: (event) => approvals.question(event),
    approval_granted: (event) => approvals.answer(event),
    approval_denied: (event) => approvals.answer(event),
    plugin_loaded: startUp,
    skill_loaded: startUp,
    agentdoc_read: startUp,
  };

  function endCall(event: AgentEventOf<"tool_result" | "tool_error">): void {
    shells.closeCall(event.toolCallId, event.type);
    calls.end(event);
  }

  function touchFile({ type, toolCallId }: AgentEventIn<"file">): void {
    calls.file(type, toolCallId);
  }

  function startUp({ type }: AgentEvent): void {
    if (turns.started > 0 && !joined) report.violation("startup.late", `${type} comes after the first turn began.`);
  }

  function closeTurn(moment: string): void {
    message.close(moment);
    thinking.close(moment);
    shells.close(moment);
    calls.close(moment);
    turns.closeStep(moment);
  }

  function closeRun(moment: string): void {
    closeTurn(moment);
    approvals.close(moment);
    subagents.close(moment);
    turns.close(moment);
  }

  return {
    add,
    end() {
      report.index += 1;
      session.finish();
      return report.take();
    },
  };
}

/** Events that must be inside a turn: all work of the agent. Costs, limits, pauses and checkpoints may be anywhere. */
const belongsInTurn = (event: AgentEvent): boolean =>
  isTextEvent(event) ||
  isToolEvent(event) ||
  isShellEvent(event) ||
  isThinkingEvent(event) ||
  isFileEvent(event) ||
  isMcpEvent(event) ||
  isSubagentEvent(event) ||
  isInteractionEvent(event) ||
  isMultimodalEvent(event) ||
  event.type === "step_start" ||
  event.type === "step_end" ||
  event.type === "plugin_invoked" ||
  event.type === "plugin_error" ||
  event.type === "skill_invoked";
