import type { Static, TObject } from "@sinclair/typebox";
import type { ToolKind } from "@spoor/protocol";
import type { FileFact, McpTool, Signal, ToolEnd } from "../../agents/signal.ts";
import type { Log } from "../../log/log.ts";
import type { RunEvent } from "../../runtime/commit.ts";
import type { PolicyAction, Verdict } from "../../runtime/policy/index.ts";
import type { ProcessControls } from "../../runtime/queue/executor.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** A tool that the model of our loop can call. */
export interface LoopTool<Input extends TObject = TObject> {
  readonly name: string;
  readonly kind: ToolKind;
  /** What the model reads about the tool. */
  readonly description: string;
  /** The schema of the input. An input that does not match it never reaches `run`: the model reads what is wrong. */
  readonly input: Input;
  /** The JSON Schema that the model reads instead of `input`. The tools of MCP servers bring their own. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Whether a call only reads, or also changes something. A question about a `read` names a low risk. */
  readonly effect: "read" | "effect";
  /**
   * A call that has started and not ended is run again when its run is taken up: `run` finds what it began. Without this, such
   * a call is reported to the model as interrupted.
   */
  readonly goesOn?: true;
  /** Set for the tools of MCP servers. */
  readonly mcp?: McpTool;
  /** What rules judge; the strictest verdict counts. A call without actions needs no permission. */
  actions(input: Static<Input>, place: ToolPlace): readonly PolicyAction[];
  /**
   * Why a person must be asked although a rule allows the call; undefined if nothing speaks against it. A run that approves
   * everything (`approve: "auto"`) is not asked.
   */
  mustAsk?(input: Static<Input>): string | undefined;
  /** What a person is asked to allow. Absent: the input as JSON. */
  describe?(input: Static<Input>, place: ToolPlace): Promise<ToolQuestion>;
  /**
   * Set for tools that start processes: fields of `tool.started`, and of `tool.invoked` where they are known in time. If the
   * sandbox `asks`, every call of such a tool that is not blocked is asked about.
   */
  held?(input: Static<Input>, sandbox: Sandbox): Readonly<Record<string, unknown>>;
  /** Never throws because of what the model asked for: that is a result with an `error`. */
  run(input: Static<Input>, context: ToolContext): Promise<ToolResult>;
}

/** Where a call happens. */
export interface ToolPlace {
  /** The real path of the workspace. Paths in inputs are relative to it. */
  readonly root: string;
  /** The environment of Spoor itself: it has keys, and the tool picks what its processes may see. */
  readonly environment: NodeJS.ProcessEnv;
}

/** What a person sees before a call is allowed. */
export interface ToolQuestion {
  /** One line. */
  summary: string;
  /** The exact command, address or input. */
  detail: string;
  /** The change of a file, as a unified diff. */
  diff?: string;
}

/** What a call gets besides its input. */
export interface ToolContext extends ToolPlace {
  readonly callId: string;
  readonly run_id: string;
  readonly task_id: string;
  readonly log: Log;
  /** The data directory. */
  readonly directory: string;
  /**
   * What the rules of the run say about a further action that only shows while the call runs: the target of a redirect, or a
   * file that a search found. Nobody is asked, so anything but `allow` means that the tool leaves it out.
   */
  decide(action: PolicyAction): Verdict;
  /** Opens the sandbox of the run, once per run. */
  sandbox(): Promise<Sandbox>;
  /** Aborts when the call is cancelled, the run stops, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Names the processes of the call, so that they can be paused and killed. */
  controls(processes: ProcessControls): void;
  /**
   * Tells what happens while the call runs, in order: signals of the call (`shell`, `output`), with fields that are added to
   * the envelopes of a type, and events of Spoor's own, such as `tool.http.requested`.
   */
  tell(told: {
    signals?: readonly Signal[];
    fields?: Readonly<Record<string, object>>;
    events?: readonly RunEvent[];
  }): void;
  /** Stores bytes as an artifact of the call and returns its id. It is told before the call ends. */
  keep(content: KeptContent): Promise<string | undefined>;
}

/** Bytes that belong to a call and are kept as an artifact. */
export interface KeptContent {
  kind: "command_output" | "fetched_resource" | "search_results" | "file_snapshot" | "tool_result_blob" | "image";
  bytes: Uint8Array;
  mime: string;
  name?: string;
}

/** What a call waits for that needs no process. */
export interface ToolWait {
  /** When the wait ends at the latest, in epoch milliseconds. */
  until: number;
  /** Whether it has ended. */
  hasEnded(): Promise<boolean>;
}

/** How a call ended. */
export interface ToolResult {
  /** What the model reads. It is redacted and shortened before it is stored, and the model reads what is stored. */
  output: string;
  /** One line for people. */
  summary: string;
  /** Set if the call failed. */
  error?: string;
  outcome?: ToolEnd["outcome"];
  /** The call has not ended: it waits, and the run gives its worker back meanwhile. Only for tools that go on. */
  waits?: ToolWait;
  /** For MCP: whether the transport failed, or the tool reported an error. */
  protocol?: boolean;
  exitCode?: number;
  files?: readonly FileFact[];
  /** Events of the tool's kind that come right before the call's end, such as `tool.grep.completed`. */
  events?: readonly RunEvent[];
  /**
   * Fields that are added to the envelopes of a type, such as `tool.completed`, for all events that the end of the call makes.
   * `false` leaves out an envelope that would be made from the input, because the tool told it itself.
   */
  fields?: Readonly<Record<string, object | false>>;
}
