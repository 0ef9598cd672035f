import type { AgentAbout } from "./agent-about.ts";
import type { HostFact, HostRequest } from "./host.ts";
import type { SessionLogs } from "./session-log.ts";
import type { Signal } from "./signal.ts";

/**
 * Reads one run of one wire. Pure: no I/O and no clock, so that a recording is a test. Every frame ends up as a signal;
 * one it does not know is a note that carries it.
 */
export interface Machine {
  /** A line the agent wrote to standard output. */
  line(text: string): Signal[];
  /** A line it wrote to standard error. Absent: a log. */
  stderr?(text: string): Signal[];
  /** A frame that was sent to the agent, by us or by whoever was recorded. */
  sent?(frame: unknown): Signal[];
  /** What we did for the agent, beyond what the answers to it tell. */
  hosted?(fact: HostFact): Signal[];
  /** The process ended, or the recording did: code 0 and no signal when nothing else is known. */
  exit(code: number | null, signal: string | null): Signal[];
}

/** A wire language an agent speaks. */
export interface Dialect {
  readonly name: string;
  /** Whether output that begins with these frames (parsed; what is no JSON is left out) is of this wire. */
  recognises(frames: readonly Frame[]): boolean;
  /** What the wire can stream, and whether permission can be asked over it. */
  readonly streams: { readonly text: boolean; readonly toolCalls: boolean; readonly thinking: boolean };
  readonly canAsk: boolean;
  /** Permission is asked over it even where everything is allowed: the driver grants it. */
  readonly asksInAuto?: true;
  /** It tells tokens and no money: what a run costs is estimated by list price. */
  readonly tokensOnly?: true;
  createMachine(): Machine;
  /** How to run the agent on this wire. Absent: it can be read, not run. */
  readonly live?: LiveDialect;
}

export interface LiveDialect {
  /** The program, by name; empty where the caller must say. */
  readonly command: string;
  /** What can be asked of it besides a prompt. A run that asks for anything else is refused before it starts. */
  readonly takes?: readonly Ability[];
  /** Why something cannot be asked of it, where there is more to say than that it cannot. */
  readonly refuses?: Readonly<Partial<Record<Ability, string>>>;
  /**
   * How `deny` is kept, in a few words; where it cannot be kept, why, in a sentence: then the run is refused. Absent: the agent
   * asks, and is refused.
   */
  readonly deny?: { readonly how: string } | { readonly cannot: string };
  /** Said to who wants to be asked, where the agent acts without asking. */
  readonly unasked?: string;
  launch(request: LaunchRequest): Launch;
  createDriver(request: LaunchRequest): Driver;
}

/**
 * What not every wire can be asked for. `images` are bytes, `imageUrls` addresses; `documents` are bytes of
 * text or PDF, `files` whatever else is no image, and who takes them takes documents. Of MCP servers by address,
 * `remoteMcpServers` are those over streamable HTTP.
 */
export type Ability =
  | "model"
  | "systemPrompt"
  | "systemPromptReplace"
  | "thinkingEffort"
  | "thinkingBudgetTokens"
  | "maxOutputTokens"
  | "resume"
  | "fork"
  | "noSession"
  | "mcpServers"
  | "remoteMcpServers"
  | "sseMcpServers"
  | "skills"
  | "images"
  | "imageUrls"
  | "documents"
  | "files";

/** What is asked of an agent, whatever it is called there. */
export interface LaunchRequest {
  prompt: string;
  cwd: string;
  model?: string;
  systemPrompt?: string;
  /** Whether it comes after the agent's own system prompt, or in its place. */
  systemPromptMode?: "append" | "replace";
  thinkingEffort?: "low" | "medium" | "high" | "max";
  thinkingBudgetTokens?: number;
  maxOutputTokens?: number;
  /** Folders or files of skills. */
  skills?: readonly string[];
  attachments?: readonly Attachment[];
  /** Go on with this session, or with a copy of it. */
  resume?: string;
  fork?: string;
  noSession?: boolean;
  /** What to do about actions that need permission. */
  approve: "ask" | "auto" | "deny";
  maxTurns?: number;
  mcpServers?: readonly McpServer[];
  remoteMcpServers?: readonly RemoteMcpServer[];
  /** What its process sees, given to drivers alone: some servers heed less of it than their command line does. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** Something to look at, given with the first prompt: its bytes, or where it is. */
export type Attachment = { name: string; mimeType: string } & (
  | { base64: string /** The file they are of, if any. */; path?: string }
  | { url: string }
);

/** An MCP server the agent starts and talks to itself. */
export interface McpServer {
  name: string;
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** An MCP server that runs somewhere already. */
export interface RemoteMcpServer {
  name: string;
  transport: "sse" | "streamable-http";
  url: string;
  headers?: Readonly<Record<string, string>>;
}

export interface Launch {
  args: readonly string[];
  /** Names of environment variables it needs of ours; `NAME_*` is a prefix. */
  allow?: readonly string[];
  set?: Readonly<Record<string, string>>;
  stdin: "pipe" | "ignore";
  /** How messages are told apart, in both directions; lines when absent. */
  framing?: "lines" | "content-length";
  /** The agent drops output when its pipe is full. Its output goes through files, so that it never meets backpressure. */
  dropsOnBackpressure?: true;
}

/** Writes to the agent: pure, frames as text. What is absent, the wire cannot do. */
export interface Driver {
  /** Written once the process is up. */
  open(): string[];
  /** What a line of the agent's calls for: handshakes. */
  receive?(line: string): string[];
  /** Another prompt: at once, or when the agent gets to it. */
  follow?(prompt: string): string[];
  /** The answer to the question the agent knows by this id. */
  answer?(id: string, answer: Answer): string[];
  interrupt?(): string[];
  /** What the lines received since the last call want done by us. */
  requests?(): HostRequest[];
  /** The handshake failed: no prompt was or will be given, so the process can be ended. */
  readonly hasGivenUp?: boolean;
  /** Whether the process ends by itself once its input does; else it is terminated when the prompt is done. */
  readonly endsWithInput: boolean;
}

export interface Answer {
  granted: boolean;
  /** The reason, or the words of an answer to a question. */
  text?: string;
}

export interface Frame {
  /** `in` is to the agent. A recording of one direction holds only `out`. */
  dir: "in" | "out";
  value: unknown;
}

/** What we know about one agent. */
export interface Adapter {
  readonly name: string;
  readonly title: string;
  /** Known from its documentation: nobody has run it here. */
  readonly isDocumentedOnly?: true;
  /** What there is to know besides its wires. */
  readonly about?: AgentAbout;
  /** How to read what it wrote down itself, below `about.sessions`. */
  readonly sessions?: SessionLogs;
  /** Its wires, the one to prefer first. */
  readonly dialects: readonly Dialect[];
}
