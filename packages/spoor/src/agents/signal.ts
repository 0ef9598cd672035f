import type { AgentEventOf, AgentEventTypeLiteral, CostRecord, ToolKind } from "@spoor/protocol";

/**
 * What an adapter's machine reports: small facts in the order the agent told them, without a thought for the contract.
 * The assembler turns them into AgentEvents: it opens and closes turns, steps and spans, numbers, adds up, and pairs
 * every start with one end. Ids and keys are the agent's own.
 *
 * `child` on any signal says that it belongs to the subagent spawned under that id, not to the run itself.
 */
export type Signal = SignalBody & { child?: string };

type SignalBody =
  /** The agent's session. Opens the run; a second one with another id opens another run. */
  | { kind: "session"; id?: string; resumed?: boolean; priorTurns?: number; forkedFrom?: string }
  /** Known at start-up; later ones become debug. */
  | { kind: "startup"; fact: Fact<"plugin_loaded" | "skill_loaded" | "agentdoc_read"> }
  /** A prompt was given to the agent: by us, or echoed by it. */
  | { kind: "prompt" }
  /** A model call begins, so a new turn, unless the open turn has had none yet. */
  | { kind: "call"; model?: string; provider?: string }
  /** The model's output of this call is complete; its tools may run now. */
  | { kind: "callDone"; stopReason?: string; cost?: CostRecord }
  /** A piece of a message. Pieces of one message share a key that no other message of the run has. */
  | { kind: "text"; key: string; delta: string }
  /** The message is complete. `text`, where the agent gives it, wins over the pieces. */
  | { kind: "textDone"; key: string; text?: string }
  | { kind: "thinking"; key: string; delta: string; effort?: string }
  | { kind: "thinkingDone"; key: string; text?: string }
  /** A tool call. `input` is JSON text there from the start; `mcp` makes it a call of an MCP tool. */
  | { kind: "toolStart"; id: string; name: string; toolKind?: ToolKind; input?: string; mcp?: McpTool }
  | { kind: "toolInput"; id: string; delta: string }
  /** The input is complete. Starts the call if nothing did. */
  | { kind: "toolReady"; id: string; name: string; toolKind?: ToolKind; input: unknown; mcp?: McpTool }
  /** The command a call runs. When it begins is for the assembler to say. */
  | { kind: "shell"; id: string; command: string; cwd?: string }
  /** Output of the call's command. */
  | { kind: "output"; id: string; stream: "stdout" | "stderr"; text: string }
  | ToolEnd
  /** A subagent begins. `tool` is the call that spawned it; what it does itself comes as signals of `child: id`. */
  | { kind: "spawn"; id: string; name: string; prompt: string; tracked?: boolean }
  | { kind: "spawnEnd"; id: string; summary?: string; error?: string; cost?: CostRecord }
  /** Permission is asked for. `id` is the agent's own id of the question. */
  | {
      kind: "ask";
      id: string;
      action: string;
      detail: string;
      risk: "low" | "medium" | "high";
      /** What it is given, where no call tells, and the diff of what it will change, where the agent shows one. */
      input?: unknown;
      diff?: string;
      tool?: { id: string; name: string; toolKind?: ToolKind; input: unknown; mcp?: McpTool };
    }
  | { kind: "answer"; id: string; granted: boolean; reason?: string }
  /** A call was refused without a question. */
  | { kind: "denied"; reason?: string }
  | { kind: "question"; id: string; question: string; context?: string; source: "agent" | "tool" }
  /** Tokens of a model call. Those written to a cache are part of the input, and have a price of their own. */
  | { kind: "usage"; usage: Omit<Fact<"token_usage">, "type"> & { cacheWriteTokens?: number } }
  /** What the run cost so far. */
  | { kind: "cost"; cost: CostRecord }
  /** Facts that need no pairing. */
  | { kind: "fact"; fact: Fact<PlainFact> }
  /** A failure or an interruption. Held until the prompt or the input ends: output in between makes it recoverable. */
  | { kind: "fail"; event: Fact<TerminalType> }
  /** The process was stopped in its tracks, or goes on. Ours to say, not an adapter's. */
  | { kind: "pause"; paused: boolean }
  /** The agent is done with the prompt. `text` is the answer where nothing was streamed. */
  | { kind: "promptDone"; text?: string }
  /** A frame that is not mapped, carried whole, or a word about one that is. */
  | { kind: "note"; message: string; level?: "verbose" | "info" | "warn" }
  | { kind: "log"; source: "stdout" | "stderr"; line: string };

export interface ToolEnd {
  kind: "toolEnd";
  id: string;
  name?: string;
  output?: unknown;
  /** Present when the call failed. */
  error?: string;
  outcome?: "failed" | "cancelled" | "timed_out" | "blocked";
  /** For MCP: whether the transport failed (true) or the tool said error (false). */
  protocol?: boolean;
  durationMs?: number;
  exitCode?: number;
  /** What the call did to files; told after a success. */
  files?: FileFact[];
}

export interface McpTool {
  server: string;
  tool: string;
}

export type FileFact =
  | { op: "read"; path: string }
  | { op: "write" | "create"; path: string; byteCount: number }
  | { op: "delete"; path: string }
  | { op: "patch"; path: string; diff: string };

type PlainFact =
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

type TerminalType =
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
