import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Envelope } from "@spoor/protocol";
import { maybe, type Payload, present, text } from "../translator.ts";
import { type Call, newCall } from "./calls.ts";
import type { FileTexts } from "./diffs.ts";
import { type AcpMessage, updateOf } from "./messages.ts";

/** What the translation depends on besides the events. */
export interface AcpTranslatorOptions {
  /** Whether the editor shows forms, so that it can be asked an agent's questions. */
  canAsk?: boolean;
  /** How many tokens fit into the context of a model, if that is known. */
  contextSizeOf?(model: string): number | undefined;
  /** The texts of a file before and after a stored patch, or after what an approval is about, if they are known. */
  textsOf?(id: string): FileTexts | undefined;
}

/** What is known of the run so far. */
export interface State {
  readonly options: AcpTranslatorOptions;
  cwd: string;
  readonly calls: Map<string, Call>;
  /** The messages and thoughts that are being written: their ids, and how much of them was sent. */
  readonly blocks: Map<string, { messageId: string; length: number }>;
  usage: { used: number; size: number; cost?: { amount: number; currency: string } };
  toldUsage?: string;
  /** What the earlier runs of the session cost, in millionths of a dollar. */
  priorCost: number;
  /** The calls that approvals are about. */
  readonly approvals: Map<string, string>;
  messages: AcpMessage[];
}

export type Handler = (state: State, data: Payload, envelope: Envelope) => void;

export const send = (state: State, envelope: Envelope, update: SessionUpdate, only?: "replay"): void =>
  void state.messages.push(updateOf(envelope, update, only));

export const words = (content: string): ContentBlock => ({ type: "text", text: content });

/** Words of Spoor, not of the agent. */
export const tell = (state: State, envelope: Envelope, content: string, only?: "replay"): void =>
  send(
    state,
    envelope,
    { sessionUpdate: "agent_message_chunk", content: words(content), messageId: envelope.event_id },
    only,
  );

/** Agents may use an id again in another run of the session. */
const idOf = (envelope: Envelope, id: string): string => `${envelope.run_id}/${id}`;

/** Tells the editor of a call when it is heard of for the first time. */
export function open(state: State, envelope: Envelope, id: string, name = text(envelope.data, "tool_name")): Call {
  const known = state.calls.get(id);
  if (known) return known;
  const call = newCall(idOf(envelope, id), name, text(envelope.data, "kind"));
  state.calls.set(id, call);
  const { toolCallId, title, kind, status } = call;
  send(state, envelope, {
    sessionUpdate: "tool_call",
    ...{ toolCallId, title, kind, status },
    ...(name !== "" && { name }),
  });
  return call;
}

/** The call that an event belongs to, if it names one. */
export function callOf(state: State, envelope: Envelope): Call | undefined {
  const id = maybe(envelope.data, "tool_call_id");
  return id === undefined ? undefined : open(state, envelope, id);
}

type CallFields = Partial<Record<"title" | "status" | "content" | "locations" | "rawInput" | "rawOutput", unknown>>;

export const change = (state: State, envelope: Envelope, { toolCallId }: Call, fields: CallFields): void =>
  send(state, envelope, { sessionUpdate: "tool_call_update", toolCallId, ...present(fields) } as SessionUpdate);
