/** What the model says, in the order it is asked. One format; each dialect renders it in its own wire. */
export type Script = readonly Step[];

export type Step = Answer | Refusal;

/** A model answer: blocks one after another, whole or streamed as the client asks. */
export interface Answer extends Timing {
  /** Or what to say to this request, where that depends on what the client was told: ids it made up. */
  blocks: readonly Block[] | ((request: ModelRequest) => readonly Block[]);
  /** Without it: `tool` when a tool is called, else `end`. */
  stop?: Stop;
  usage?: Partial<Usage>;
  /** An error event after the blocks, instead of the end; unstreamed: an HTTP 500. */
  failure?: Failure;
  /** The connection is cut after so many deltas, or after the last if there are fewer; unstreamed: before the body. */
  cutAfter?: number;
  /** Waits between deltas. */
  pauseMs?: number;
}

export interface Failure {
  message: string;
  /** The error type, code or status, as the dialect names it; without it the usual one. */
  code?: string;
}

/** An HTTP error instead of an answer: the failure in the error shape of the dialect, unless `body` says what to send. */
export interface Refusal extends Timing, Partial<Failure> {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

interface Timing {
  /** Waits before the first byte. */
  delayMs?: number;
  /** Keeps the step for the first request it holds for, side requests too. Steps without it are taken in order. */
  when?: (request: ModelRequest) => boolean;
}

export type Block = TextBlock | ThinkingBlock | ToolBlock;

export interface TextBlock {
  type: "text";
  text: string;
  /** How many pieces it is streamed in; 1 if not told, never more than characters. */
  deltas?: number;
}

export interface ThinkingBlock {
  type: "thinking";
  text: string;
  deltas?: number;
}

export interface ToolBlock {
  type: "tool";
  name: string;
  /**
   * A string is sent as it stands: as the text of the arguments, broken JSON included, and in OpenAI Responses as the
   * input of a custom (freeform) call. Gemini has no place for one.
   */
  input: Readonly<Record<string, unknown>> | string;
  /** Made up if not told; Gemini then sends none, as the service does. */
  id?: string;
  /** OpenAI Responses only: where a deferred or MCP tool lives. */
  namespace?: string;
  deltas?: number;
}

export type Stop = "end" | "tool" | "length" | "refused";

/** Tokens. `input` counts what was read from and written to the cache, `output` what was thought. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  thinking: number;
}

export type DialectName = "anthropic" | "responses" | "chat" | "gemini";

/** A request as it was recorded. */
export interface ModelRequest {
  method: string;
  /** With the query. */
  path: string;
  /** Parsed; the text itself where it is not JSON; `undefined` where there is none. */
  body: unknown;
  /** Set where a model was asked. */
  dialect?: DialectName;
  /** A request beside the conversation: probes, lists, counts, titles; model requests without tools are taken for one. */
  isSide: boolean;
  /** Which step of the script answered. */
  step?: number;
}
