import type { AgentEventOf, AgentEventTypeLiteral, CostRecord, ToolKind } from "@spoor/protocol";

/**
 * What an adapter's machine reports: small facts in the order in which the agent reported them. The machine does not
 * need to know the event contract. The assembler turns signals into AgentEvents: it opens and closes turns, steps and
 * spans, numbers them, adds up totals, and pairs every start with one end. Ids and keys are the agent's own.
 *
 * A signal with `child` belongs to the subagent that was spawned under that id, not to the run itself.
 */
export type Signal = SignalBody & { child?: string };

/** The kinds of facts that a machine can report. */
export type SignalBody =
  /** The agent's session. It opens the run; a session with another id opens another run. `version` is the agent's. */
  | { kind: "session"; id?: string; resumed?: boolean; priorTurns?: number; forkedFrom?: string; version?: string }
  /** Reported at start-up. If it comes later, it becomes a debug event. */
  | { kind: "startup"; fact: Fact<"plugin_loaded" | "skill_loaded" | "agentdoc_read"> }
  /** The agent received a prompt: we sent it, or the agent echoed it. */
  | { kind: "prompt" }
  /** A model call begins. It opens a new turn, unless the open turn has no model call yet. */
  | { kind: "call"; model?: string; provider?: string }
  /** The model's output of this call is complete; its tools may run now. */
  | { kind: "callDone"; stopReason?: string; cost?: CostRecord }
  /** A piece of a message. All pieces of one message have the same key, which no other message of the run has. */
  | { kind: "text"; key: string; delta: string }
  /** The message is complete. If the agent gives the whole `text`, it replaces the pieces. */
  | { kind: "textDone"; key: string; text?: string }
  | { kind: "thinking"; key: string; delta: string; effort?: string }
  | { kind: "thinkingDone"; key: string; text?: string }
  /** A tool call begins. `input` is JSON text that is known from the start; `mcp` marks the call of an MCP tool. */
  | { kind: "toolStart"; id: string; name: string; toolKind?: ToolKind; input?: string; mcp?: McpTool }
  | { kind: "toolInput"; id: string; delta: string }
  /** The input is complete. This signal also starts the call if nothing else did. */
  | { kind: "toolReady"; id: string; name: string; toolKind?: ToolKind; input: unknown; mcp?: McpTool }
  /** The command that a call runs. The assembler decides when the command begins, unless it `runs` already. */
  | { kind: "shell"; id: string; command: string; cwd?: string; runs?: true }
  /** Output of the call's command. */
  | { kind: "output"; id: string; stream: "stdout" | "stderr"; text: string }
  | ToolEnd
  /**
   * A subagent begins, under an id that its own signals have as `child`. `tracked`: the agent reports what it does.
   * `childRunId`: it is recorded elsewhere, in this run.
   */
  | { kind: "spawn"; id: string; name: string; prompt: string; tracked?: boolean; childRunId?: string }
  | { kind: "spawnEnd"; id: string; summary?: string; error?: string; cost?: CostRecord }
  /** The agent asks for permission. `id` is the agent's own id of the question. */
  | {
      kind: "ask";
      id: string;
      action: string;
      detail: string;
      risk: "low" | "medium" | "high";
      /** The input, if no call reports it, and the diff of the change, if the agent shows one. */
      input?: unknown;
      diff?: string;
      /** Spoor asks this question itself, because the target is protected: no rule may allow it. */
      isProtected?: true;
      /** The file that Spoor would write for the agent. Without `tool`, the question belongs to the open call that names it. */
      writes?: string;
      tool?: { id: string; name: string; toolKind?: ToolKind; input: unknown; mcp?: McpTool };
    }
  | { kind: "answer"; id: string; granted: boolean; reason?: string }
  /** What Spoor's rules say about a question: they answer it, or a person is asked. No adapter reports this. */
  | { kind: "verdict"; id: string; decision: "allow" | "ask" | "block"; reason?: string }
  /** A call was refused and nobody was asked. */
  | { kind: "denied"; reason?: string }
  | { kind: "question"; id: string; question: string; context?: string; source: "agent" | "tool" }
  /** Tokens of a model call. Tokens written to a cache are part of the input and have their own price. */
  | { kind: "usage"; usage: Omit<Fact<"token_usage">, "type"> & { cacheWriteTokens?: number } }
  /** The cost of the run so far. */
  | { kind: "cost"; cost: CostRecord }
  /** Facts that need no pairing. */
  | { kind: "fact"; fact: Fact<PlainFact> }
  /**
   * A failure or an interruption. The assembler holds it until the prompt or the input ends; if output follows, the
   * failure was recoverable.
   */
  | { kind: "fail"; event: Fact<TerminalType> }
  /** We paused or resumed the process. No adapter reports this. */
  | { kind: "pause"; paused: boolean }
  /** The agent is done with the prompt. `text` is the answer if nothing was streamed. */
  | { kind: "promptDone"; text?: string }
  /** An unknown frame as a whole, or a remark about a known one. */
  | { kind: "note"; message: string; level?: "verbose" | "info" | "warn" }
  | { kind: "log"; source: "stdout" | "stderr"; line: string };

/** How a tool call ended. */
export interface ToolEnd {
  kind: "toolEnd";
  id: string;
  name?: string;
  output?: unknown;
  /** Set if the call failed. */
  error?: string;
  outcome?: "failed" | "cancelled" | "timed_out" | "blocked";
  /** For MCP: true if the transport failed, false if the tool reported an error. */
  protocol?: boolean;
  durationMs?: number;
  exitCode?: number;
  /** What the call did to files; set after a success. */
  files?: FileFact[];
}

/** The MCP server and tool that a call uses. */
export interface McpTool {
  server: string;
  tool: string;
}

/** What a tool call did to one file. */
export type FileFact =
  | { op: "read"; path: string }
  | { op: "write" | "create"; path: string; byteCount: number }
  | { op: "delete"; path: string }
  | { op: "patch"; path: string; diff: string };

/** Event types that an adapter reports directly, because they need no start or end. */
export type PlainFact =
  | "session_checkpoint"
  | "plugin_invoked"
  | "plugin_error"
  | "skill_invoked"
  | "image_output"
  | "image_input_ack"
  | "rate_limited"
  | "context_limit_warning"
  | "context_compacted"
  | "retry"
  | "error";

/** Event types that end a run. */
export type TerminalType =
  | "interrupted"
  | "aborted"
  | "timeout"
  | "turn_limit"
  | "auth_error"
  | "rate_limit_error"
  | "context_exceeded"
  | "crash"
  | "error";

/** An event's type and own fields; the assembler adds the rest. */
export type Fact<T extends AgentEventTypeLiteral> = T extends AgentEventTypeLiteral
  ? { type: T } & Omit<AgentEventOf<T>, "type" | "runId" | "agent" | "timestamp" | "raw" | "sessionId">
  : never;
