import type { AgentAbout } from "./agent-about.ts";
import type { Ability, AgentOptions } from "./agent-options.gen.ts";
import type { HostFact, HostRequest } from "./host.ts";
import type { SessionLogs } from "./session-log.ts";
import type { Signal } from "./signal.ts";

export type { Ability, AgentOptions } from "./agent-options.gen.ts";

/**
 * Reads one run in one dialect. Pure: no I/O and no clock, so that a recording is a test. Every frame becomes a signal;
 * an unknown frame becomes a note that contains it.
 */
export interface Machine {
  /** Reads a line of the agent's standard output. */
  line(text: string): Signal[];
  /** Reads a line of its standard error. Default: the line is a log. */
  stderr?(text: string): Signal[];
  /** Reads a frame that was sent to the agent, by us or by the client that was recorded. */
  sent?(frame: unknown): Signal[];
  /** Reads an action that we did for the agent and that its reply does not report in full. */
  hosted?(fact: HostFact): Signal[];
  /** The process, or the recording, has ended. Without other knowledge: code 0 and no signal. */
  exit(code: number | null, signal: string | null): Signal[];
}

/** A language that an agent speaks over its standard streams. */
export interface Dialect {
  readonly name: string;
  /** Whether output that begins with these frames is in this dialect. Lines that are not JSON are left out. */
  recognises(frames: readonly Frame[]): boolean;
  /** What the dialect can stream, and whether the agent can ask for permission in it. */
  readonly streams: { readonly text: boolean; readonly toolCalls: boolean; readonly thinking: boolean };
  readonly canAsk: boolean;
  /** The agent asks for permission even with `--approve auto`, and the driver grants it. */
  readonly asksInAuto?: true;
  /** The agent reports tokens but no cost, so the cost of a run is estimated from the price list. */
  readonly tokensOnly?: true;
  /**
   * Whether the agent reports tokens or costs, so that a budget can be held. Absent: known for the built-in agents from
   * runs of the real ones; otherwise taken as false, unless `tokensOnly` is set.
   */
  readonly reportsUsage?: boolean;
  createMachine(): Machine;
  /** How to run the agent in this dialect. Absent: the dialect can only be read. */
  readonly live?: LiveDialect;
}

/** How Spoor starts an agent and talks to it. A dialect without it can be read but not run. */
export interface LiveDialect {
  /** The name of the program; empty if the caller must give it. */
  readonly command: string;
  /**
   * The options that the dialect supports besides the prompt. A run that uses any other option is refused before it
   * starts.
   */
  readonly takes?: readonly Ability[];
  /** The reason why an option is not supported, where there is more to say than that. */
  readonly refuses?: Readonly<Partial<Record<Ability, string>>>;
  /**
   * `how`: in a few words, how the agent enforces `--approve deny`. `cannot`: a sentence that says why it cannot; such
   * a run is refused before it starts. Absent: the agent asks, and the driver refuses.
   */
  readonly deny?: { readonly how: string } | { readonly cannot: string };
  /** A warning for a user who chose `--approve ask` although the agent acts without asking. */
  readonly askWarning?: string;
  launch(request: LaunchRequest): Launch;
  createDriver(request: LaunchRequest): Driver;
}

/** The options of one run that concern the agent, and what Spoor made of the others. */
export interface LaunchRequest extends AgentOptions {
  prompt: string;
  cwd: string;
  attachments?: readonly Attachment[];
  /** What happens to actions that need permission. */
  approve: "ask" | "auto" | "deny";
  mcpServers?: readonly McpServer[];
  remoteMcpServers?: readonly RemoteMcpServer[];
  /**
   * The environment of the agent's process. Only drivers receive it: some servers ignore variables that their command
   * line reads.
   */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** A file that is sent with the first prompt: its bytes or its address. */
export type Attachment = { name: string; mimeType: string } & (
  | { base64: string /** The file they are of, if any. */; path?: string }
  | { url: string }
);

/** An MCP server that the agent starts itself. */
export interface McpServer extends McpServerLimits {
  name: string;
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** How Spoor's own loop uses a server. Other agents are not told. */
export interface McpServerLimits {
  /** The tools that only read, and may be called again after a crash: all of them (`true`), or those that are named. */
  readonly?: boolean | readonly string[];
  /** How long a call may take, in milliseconds. Default: one minute. */
  timeout?: number;
}

/** An MCP server that is already running. */
export interface RemoteMcpServer extends McpServerLimits {
  name: string;
  transport: "sse" | "streamable-http";
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/** The arguments, standard input and environment with which the process of an agent starts. */
export interface Launch {
  args: readonly string[];
  /** Names of our environment variables that the agent needs; `NAME_*` is a prefix. */
  allow?: readonly string[];
  set?: Readonly<Record<string, string>>;
  stdin: "pipe" | "ignore";
  /** How messages are delimited in both directions. Default: lines. */
  framing?: "lines" | "content-length";
  /** The agent drops output when its pipe is full. Its output goes through files, so that it never meets backpressure. */
  dropsOnBackpressure?: true;
}

/** Makes the frames that are written to the agent. Pure. A method is absent if the dialect has no such frame. */
export interface Driver {
  /** The frames to write once the process has started. */
  open(): string[];
  /** The frames with which to answer a line of the agent, such as the next step of a handshake. */
  receive?(line: string): string[];
  /** Another prompt. The agent takes it at once or after the current one. */
  follow?(prompt: string): string[];
  /** The answer to the question to which the agent gave this id. */
  answer?(id: string, answer: Answer): string[];
  interrupt?(): string[];
  /** The actions that the lines received since the last call ask us to do. */
  requests?(): HostRequest[];
  /** The handshake failed. No prompt was or will be given, so the process can be ended. */
  readonly hasGivenUp?: boolean;
  /** Whether the process ends once its input is closed. If not, it is terminated when the prompt is done. */
  readonly endsWithInput: boolean;
}

/** The answer to a question of the agent. */
export interface Answer {
  granted: boolean;
  /** The reason for a refusal, or the text that answers a question. */
  text?: string;
}

/** One JSON message between Spoor and the agent. */
export interface Frame {
  /** `in` is a frame to the agent. A recording of one direction contains only `out`. */
  dir: "in" | "out";
  value: unknown;
}

/**
 * The version of the contract between Spoor and its adapters. It grows when an adapter can no longer be used unchanged;
 * new optional members do not change it.
 */
export const ADAPTER_CONTRACT_VERSION = 1;

/** An agent, its dialects and its facts. */
export interface Adapter {
  /** The contract version that the adapter was written for. Absent means 1. A client refuses a version that it does not know. */
  readonly contractVersion?: typeof ADAPTER_CONTRACT_VERSION;
  readonly name: string;
  readonly title: string;
  /** The adapter was written from documentation; nobody has run the agent here. */
  readonly isDocumentedOnly?: true;
  /** Facts about the agent besides its dialects. */
  readonly about?: AgentAbout;
  /** How to read the session logs that the agent stores at `about.sessions`. */
  readonly sessions?: SessionLogs;
  /** The dialects, the preferred one first. */
  readonly dialects: readonly Dialect[];
}
