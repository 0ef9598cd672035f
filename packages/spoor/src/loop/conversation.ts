import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { Envelope } from "@spoor/protocol";
import { mcpToolName } from "./mcp/names.ts";
import type { StatePart } from "./provider-state.ts";

/** A call as the events tell it. */
export interface StoredCall {
  id: string;
  name: string;
  input: unknown;
  /** Whether a secret in its input was replaced, so that the stored input is not what the model wrote. */
  isRedacted: boolean;
  hasStarted: boolean;
  /** What the model reads; undefined while the call has not ended. */
  result?: LanguageModelV4ToolResultOutput;
  /** The answer of a person. */
  approval?: { id: string; decision?: "approved" | "rejected" | "cancelled"; by?: string; comment?: string };
  /** What the user's hooks decided. */
  hook?: string;
}

/** A turn as the events tell it. */
export interface StoredTurn {
  index: number;
  /** Texts and calls in the order in which they came. */
  parts: ({ type: "text"; text: string } | { type: "call"; call: StoredCall })[];
  /** Whether what the model said is complete: a checkpoint was saved. */
  isKept: boolean;
  hasEnded: boolean;
  /** The hash of what the provider needs back. */
  state?: string;
}

/** What the conversation consists of: what the user said, and turns. */
export type Entry = { type: "user"; text: string } | { type: "turn"; turn: StoredTurn };

/**
 * The conversation of a run, made from its stored events. The loop has no other: before each model call it reads the events
 * that were stored since the last one. So what the model gets is the same after a restart.
 */
export class Conversation {
  readonly #entries: Entry[];
  /** The ids of all calls of the run. */
  readonly callIds = new Set<string>();
  /** The number of turns of this run. */
  turns = 0;
  /** The last sequence that was read. */
  sequence = -1;
  /** What the user asked the run for. */
  prompt = "";
  #turn: StoredTurn | undefined;

  /** `before` is what the run begins with: the conversation that it continues. */
  constructor(before: readonly Entry[] = []) {
    this.#entries = [...before];
    const first = before.find((entry) => entry.type === "user");
    if (first?.type === "user") this.prompt = first.text;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The turn that has begun and not ended. */
  get openTurn(): StoredTurn | undefined {
    return this.#turn?.hasEnded ? undefined : this.#turn;
  }

  /** Whether the model has given its answer, and nobody has said anything since. */
  get isAnswered(): boolean {
    const last = this.#entries.at(-1);
    return last?.type === "turn" && last.turn === this.#turn && last.turn.isKept && callsOf(last.turn).length === 0;
  }

  add(envelope: Envelope): void {
    this.sequence = envelope.sequence;
    handlers[envelope.type]?.(this, envelope.data);
  }

  say(text: string): void {
    this.#entries.push({ type: "user", text });
  }

  begin(index: number): void {
    this.turns += 1;
    this.#turn = { index, parts: [], isKept: false, hasEnded: false };
    this.#entries.push({ type: "turn", turn: this.#turn });
  }

  /** The turn of this number, of this run. */
  turn(index: unknown): StoredTurn | undefined {
    return this.#turn?.index === index ? this.#turn : undefined;
  }

  call(id: unknown): StoredCall | undefined {
    return this.#turn && callsOf(this.#turn).find((call) => call.id === id);
  }

  /** From here on the model gets this text instead of everything before. */
  compact(summary: string): void {
    this.#entries.length = 0;
    this.say(summary);
  }

  /** What was said before cannot be rebuilt: only what the user said to this run is left. */
  forget(): void {
    const said = this.#entries.filter(({ type }) => type === "user");
    this.#entries.length = 0;
    this.#entries.push(...said);
  }

  /** The messages for the model. `read` reads what the provider needs back. */
  async messages(read: (sha256: string) => Promise<StatePart[]>): Promise<LanguageModelV4Message[]> {
    const messages: LanguageModelV4Message[] = [];
    for (const entry of this.#entries) {
      if (entry.type === "user") messages.push({ role: "user", content: [{ type: "text", text: entry.text }] });
      else messages.push(...(await messagesOf(entry.turn, read)));
    }
    return messages;
  }
}

export const callsOf = ({ parts }: StoredTurn): StoredCall[] =>
  parts.flatMap((part) => (part.type === "call" ? [part.call] : []));

type Data = Record<string, unknown>;
type Handler = (conversation: Conversation, data: Data) => void;

/** How each type of event changes the conversation. */
const handlers: Readonly<Record<string, Handler>> = {
  "user.message": (conversation, { text, via }) => {
    if (via === "prompt") conversation.prompt = String(text);
    conversation.say(String(text));
  },
  "turn.started": (conversation, { turn_index }) => conversation.begin(Number(turn_index)),
  "assistant.text_complete": (conversation, { text, turn_index }) => {
    if (text !== "") conversation.turn(turn_index)?.parts.push({ type: "text", text: String(text) });
  },
  "assistant.tool_call_proposed": (conversation, data) => {
    const { tool_call_id, tool_name, mcp_server, mcp_tool, input, turn_index, redacted_paths } = data;
    const id = String(tool_call_id);
    const isRedacted = Array.isArray(redacted_paths) && redacted_paths.length > 0;
    const name = mcp_tool === undefined ? String(tool_name) : mcpToolName(String(mcp_server), String(mcp_tool));
    const call = { id, name, input, isRedacted, hasStarted: false };
    conversation.callIds.add(id);
    conversation.turn(turn_index)?.parts.push({ type: "call", call });
  },
  "approval.requested": (conversation, { tool_call_id, approval_id }) => {
    const call = conversation.call(tool_call_id);
    if (call) call.approval = { id: String(approval_id) };
  },
  "approval.resolved": (conversation, data) => decided(conversation, data, data.decision),
  "approval.timed_out": (conversation, data) => decided(conversation, data, "rejected"),
  "policy.hook_completed": (conversation, { tool_call_id, hook, decision }) => {
    const call = conversation.call(tool_call_id);
    if (call && hook === "PreToolUse" && typeof decision === "string") call.hook = decision;
  },
  "tool.started": (conversation, { tool_call_id }) => {
    const call = conversation.call(tool_call_id);
    if (call) call.hasStarted = true;
  },
  "tool.completed": (conversation, data) => {
    const { output, error } = data;
    if (error !== undefined) failed(conversation, data);
    else if (typeof output === "string") ended(conversation, data, { type: "text", value: output });
    else ended(conversation, data, { type: "json", value: (output ?? null) as never });
  },
  "tool.failed": (conversation, data) => failed(conversation, data),
  "tool.cancelled": (conversation, data) => failed(conversation, data),
  "tool.timed_out": (conversation, data) => failed(conversation, data),
  "policy.tool_blocked": (conversation, data) => failed(conversation, { ...data, error: data.reason }),
  "turn.completed": (conversation, { turn_index }) => {
    const turn = conversation.turn(turn_index);
    if (turn) turn.hasEnded = true;
  },
  "run.checkpoint_saved": (conversation, { turn_index, provider_state }) => {
    const turn = conversation.turn(turn_index);
    if (!turn) return;
    turn.isKept = true;
    if (typeof provider_state === "string") turn.state = provider_state;
  },
  "limit.context_compacted": (conversation, { summary }) => conversation.compact(String(summary)),
  "gap.run_disconnected": (conversation, { action }) => {
    if (action === "start_fresh") conversation.forget();
  },
};

function decided(conversation: Conversation, { approval_id, by, comment }: Data, decision: unknown): void {
  const turn = conversation.openTurn;
  const call = turn && callsOf(turn).find(({ approval }) => approval?.id === approval_id);
  if (!call?.approval) return;
  call.approval = {
    id: call.approval.id,
    decision: decision as "approved" | "rejected" | "cancelled",
    ...(typeof by === "string" && { by }),
    ...(typeof comment === "string" && { comment }),
  };
}

const failed = (conversation: Conversation, data: Data): void =>
  ended(conversation, data, { type: "error-text", value: String(data.error ?? "The call did not complete.") });

function ended(conversation: Conversation, { tool_call_id }: Data, result: LanguageModelV4ToolResultOutput): void {
  const call = conversation.call(tool_call_id);
  if (call) call.result = result;
}

/** A turn that broke off before the model was done is left out: it is repeated. */
async function messagesOf(
  turn: StoredTurn,
  read: (sha256: string) => Promise<StatePart[]>,
): Promise<LanguageModelV4Message[]> {
  if (!turn.isKept || turn.parts.length === 0) return [];
  const content = turn.state === undefined ? contentOf(turn) : contentWith(turn, await read(turn.state));
  const calls = callsOf(turn);
  const assistant: LanguageModelV4Message = { role: "assistant", content };
  if (calls.length === 0) return [assistant];
  const results = calls.map(({ id, name, result }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: name,
    output: result ?? { type: "error-text" as const, value: "The call has no result." },
  }));
  return [assistant, { role: "tool", content: results }];
}

type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

const callPart = ({ id, name, input }: StoredCall) =>
  ({ type: "tool-call", toolCallId: id, toolName: name, input: input ?? {} }) as const;

const contentOf = ({ parts }: StoredTurn): Content =>
  parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : callPart(part.call)));

/** The order and the thoughts come from the provider's state, texts and inputs from the events. */
function contentWith(turn: StoredTurn, state: readonly StatePart[]): Content {
  const texts = turn.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const calls = callsOf(turn);
  const content = state.flatMap((part): Content => {
    const options = part.providerOptions ? { providerOptions: part.providerOptions } : {};
    if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...options }];
    if (part.type === "custom") return [{ type: "custom", kind: part.kind, ...options }];
    if (part.type === "text") {
      const text = texts.shift();
      return text === undefined ? [] : [{ type: "text", text, ...options }];
    }
    const call = calls.find(({ id }) => id === part.id);
    return call ? [{ ...callPart(call), ...options }] : [];
  });
  return [...content, ...texts.map((text) => ({ type: "text" as const, text }))];
}
