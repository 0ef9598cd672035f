/**
 * The ordering contract as a list. Each rule names the section of the specification it comes from: numbers are sections
 * of the AgentEvent specification, `design` is a case that specification leaves open and Spoor decides, words are
 * headings of the event protocol draft.
 */

export interface Rule {
  readonly section: string;
  readonly says: string;
}

/** The rules for a stream of AgentEvents of one run. */
export const eventRules = {
  "base.shape": { section: "2.1, 3.1", says: "Every field fits the definition of its event." },
  "base.run": { section: "2.1", says: "All events of a stream belong to one run." },
  "base.agent": { section: "2.1", says: "All events of a run come from the same agent." },
  "base.time": { section: "2.1", says: "Timestamps never go back." },

  "session.first": {
    section: "5.1, 25.1",
    says: "session_start comes first; only debug and log may precede it. A recorded run that never started has none.",
  },
  "session.once": { section: "5.1", says: "There is one session_start." },
  "session.resume": {
    section: "5.2, 5.6",
    says: "session_resume comes at most once, right after a session_start that says resumed.",
  },
  "session.fork": {
    section: "5.3, 5.6",
    says: "session_fork comes at most once, before start-up facts and turns, and names the session that session_start names.",
  },
  "session.id": { section: "5.2, 23", says: "All session events carry the id of session_start." },
  "session.count": { section: "5.5", says: "turnCount is the number of turns, those before this run included." },
  "session.last": { section: "5.6, 25.1", says: "After session_end only debug and log follow." },
  "session.end": { section: "5.5, 25.1, design", says: "Every run ends with session_end." },

  "startup.late": {
    section: "14.2, 15.1, 25.6",
    says: "plugin_loaded, skill_loaded and agentdoc_read come before the first turn.",
  },

  "turn.index": { section: "6.1", says: "Turns are numbered 0, 1, 2, …" },
  "turn.overlap": { section: "6.5, 25.2", says: "A turn ends before the next one starts." },
  "turn.end": { section: "6.2, 25.2", says: "turn_end ends the open turn and carries its number." },
  "turn.open": { section: "6.5, 25.1", says: "Every turn is ended, before any terminal event." },
  "turn.outside": {
    section: "25.2, 25.6",
    says: "Messages, thoughts, tool calls and other work of the agent happen inside a turn.",
  },

  "step.turn": { section: "6.3", says: "A step carries the number of the open turn." },
  "step.index": { section: "6.3", says: "Steps of a turn are numbered 0, 1, 2, …" },
  "step.overlap": { section: "6.5", says: "A step ends before the next one starts." },
  "step.end": { section: "6.4", says: "step_end ends the open step and carries its number." },
  "step.open": { section: "6.5, 25.2", says: "Every step ends inside its turn." },

  "message.start": { section: "7.4", says: "text_delta and message_stop follow a message_start." },
  "message.overlap": { section: "7.4, 8.4", says: "A message starts when no other message and no thought is open." },
  "message.empty": { section: "7.4", says: "A message has at least one text_delta." },
  "message.accumulated": { section: "7.2", says: "accumulated is the sum of the deltas so far." },
  "message.text": { section: "7.4", says: "The text of message_stop is the sum of the deltas." },
  "message.open": { section: "7.4, 25.2", says: "Every message is stopped inside its turn." },

  "thinking.start": { section: "8.4", says: "thinking_delta and thinking_stop follow a thinking_start." },
  "thinking.overlap": {
    section: "8.4, 25.3",
    says: "A thought starts when no other thought and no message is open.",
  },
  "thinking.empty": { section: "8.4", says: "A thought has at least one thinking_delta." },
  "thinking.accumulated": { section: "8.2", says: "accumulated is the sum of the deltas so far." },
  "thinking.text": { section: "8.4", says: "The text of thinking_stop is the sum of the deltas." },
  "thinking.open": { section: "8.4, 25.2", says: "Every thought is stopped inside its turn." },

  "tool.id": { section: "9.1, 12.1", says: "A toolCallId names one call, native or MCP, in a run." },
  "tool.start": { section: "9.7", says: "Every event of a call follows its tool_call_start." },
  "tool.input": { section: "9.7", says: "Input arrives before tool_call_ready." },
  "tool.accumulated": { section: "9.3", says: "inputAccumulated is the input so far." },
  "tool.ready": { section: "9.7", says: "There is one tool_call_ready, before the call ends." },
  "tool.end": { section: "9.7", says: "A call ends once, with tool_result or tool_error, and nothing follows." },
  "tool.name": { section: "9.1", says: "All events of a call name the same tool." },
  "tool.open": { section: "9.7, 25.2", says: "Every call ends inside its turn." },

  "file.tool": {
    section: "10.1, 25.3",
    says: "A file event follows the tool_call_ready of its call, in the same turn.",
  },

  "shell.start": { section: "11.5", says: "Output and exit follow a shell_start." },
  "shell.overlap": { section: "11.5", says: "A call runs one command at a time." },
  "shell.tool": { section: "11.5, 25.3", says: "A command runs inside a call that is ready and has not ended." },
  "shell.open": { section: "11.5, 25.3", says: "Every command exits before its call ends." },

  "mcp.start": { section: "12.2", says: "The result of an MCP call follows its mcp_tool_call_start." },
  "mcp.end": { section: "12.2", says: "An MCP call ends once, with mcp_tool_result or mcp_tool_error." },
  "mcp.name": { section: "12.1", says: "All events of an MCP call name the same server and tool." },
  "mcp.open": { section: "12.2, 25.2", says: "Every MCP call ends inside its turn." },

  "subagent.id": { section: "13.1", says: "A subagentId names one subagent in a run." },
  "subagent.start": { section: "13.2", says: "The result of a subagent follows its subagent_spawn." },
  "subagent.end": { section: "13.2", says: "A subagent ends once, with subagent_result or subagent_error." },
  "subagent.name": { section: "13.1", says: "All events of a subagent carry its name." },
  "subagent.open": { section: "13.2, design", says: "Every subagent ends before the run does, possibly turns later." },

  "plugin.loaded": { section: "14.2", says: "A plugin is loaded before it is invoked." },

  "approval.id": { section: "18.1, 23", says: "An interactionId names one question in a run." },
  "approval.request": { section: "18.2, 25.4", says: "approval_granted answers an approval_request." },
  "approval.answer": { section: "18.2", says: "A question is answered once." },
  "approval.open": { section: "18.2", says: "Every approval_request is answered before the run ends." },
  "approval.mode": {
    section: "18.2",
    says: "In mode auto nothing is asked; in mode deny nothing is granted.",
  },
  "approval.early": { section: "25.4, design", says: "Permission for a call is asked before its command begins." },
  "approval.tool": { section: "25.4", says: "A call that waits for permission runs only after it is granted." },

  "retry.attempt": { section: "19", says: "The number of a retry is not above the maximum." },

  "pause.order": { section: "20.1", says: "paused and resumed alternate." },
  "pause.quiet": { section: "20.1", says: "No work starts between paused and resumed." },
  "fallback.once": { section: "20.1, 24.2", says: "stream_fallback comes once per capability." },

  "terminal.last": {
    section: "20.1, 21.1, 25.5",
    says: "After a terminal event only session_end, debug and log follow.",
  },
  "terminal.once": { section: "25.5, design", says: "There is at most one terminal event." },
  "rate_limit.next": { section: "21.1", says: "After rate_limit_error the run retries or ends." },
} as const satisfies Record<string, Rule>;

/** The rules for a stream of envelopes of one run. */
export const envelopeRules = {
  "envelope.shape": { section: "Envelope", says: "The envelope's own fields fit their definition." },
  "envelope.payload": { section: "Event taxonomy", says: "The data of a known type fits its definition." },
  "envelope.run": { section: "Envelope", says: "All envelopes of a stream belong to one run." },
  "envelope.context": { section: "Envelope", says: "task_id and session_id stay the same within a run." },
  "envelope.first": { section: "Envelope, Gaps", says: "The first sequence is 0, or that of a gap.events_pruned." },
  "envelope.sequence": { section: "Ordering and replay invariants 1", says: "sequence goes up by one." },
  "envelope.event_id": { section: "Envelope", says: "event_id increases; only gap events may be out of order." },
  "gap.range": {
    section: "Gaps, design",
    says: "A gap event has the last sequence it covers, and covers all missing sequences.",
  },
  "run.resumed": {
    section: "Run lifecycle, design",
    says: "run.resumed_from_event is the first event, or follows run.created.",
  },
  "call.started": {
    section: "Tool calls, design",
    says: "A call has at most one tool.started, and none after its end.",
  },
  "run.end": { section: "Run lifecycle", says: "Every run has a terminal run event." },
  "run.end_once": { section: "Run lifecycle", says: "There is one terminal run event." },
  "run.after_end": {
    section: "Run lifecycle, design",
    says: "After the terminal run event only late facts follow: patches applied or reverted, artifacts, changed settings of git, cancelled approvals, task updates, callers' events, gaps, debug.",
  },
} as const satisfies Record<string, Rule>;

export const rules = { ...eventRules, ...envelopeRules };

export type EventRuleId = keyof typeof eventRules;
export type EnvelopeRuleId = keyof typeof envelopeRules;
export type RuleId = keyof typeof rules;
