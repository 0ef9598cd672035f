import type { Envelope } from "@spoor/protocol";
import { type Payload, present, text } from "../translator.ts";

/** A chunk of the stream. The tests check each against the schema of the AI SDK. */
export type AiSdkChunk = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The parts of the one message that a run becomes, and which of them are open. */
export interface Parts {
  begin(envelope: Envelope): void;
  add(chunk: AiSdkChunk): void;
  /** Adds a data part that is amended later. */
  keep(name: string, id: string, data: Payload): void;
  /** Adds fields to a data part, or begins it with them if it is unknown. */
  amend(name: string, id: string, fields: Payload): void;
  /** Returns the chunks since the last call. */
  take(): AiSdkChunk[];
  openStep(): void;
  closeStep(): void;
  write(kind: BlockKind, key: string, delta: string): void;
  /** Delivers what was not delivered of a block, and closes it. */
  complete(kind: BlockKind, key: string, whole: string): void;
  startCall(data: Payload): void;
  writeCall(id: string, delta: string): void;
  proposeCall(data: Payload): void;
  /** A call that no model proposed, or whose proposal is lost, begins here. */
  invokeCall(data: Payload): void;
  endCall(data: Payload, end: AiSdkChunk): void;
  askFor(approvalId: string, toolCallId: string): void;
  decide(approvalId: string, status: string, reason: string | undefined): void;
  /** Whether a person said no to the call, or nobody answered. */
  isDenied(toolCallId: string): boolean;
  /** Closes everything and ends the message. Nothing follows. */
  end(last: readonly AiSdkChunk[]): void;
}

type BlockKind = "text" | "reasoning";

interface Call {
  readonly toolName: string;
  state: "writing" | "proposed" | "ended";
}

export function createParts(): Parts {
  let chunks: AiSdkChunk[] = [];
  let source: Envelope;
  let begun = false;
  let isOver = false;
  let inStep = false;
  const blocks = new Map<string, { kind: BlockKind; id: string; length: number }>();
  const calls = new Map<string, Call>();
  const approvals = new Map<string, string>();
  const denied = new Set<string>();
  const kept = new Map<string, Payload>();

  const add = (chunk: AiSdkChunk): void => {
    if (!isOver) chunks.push(chunk);
  };

  function write(kind: BlockKind, key: string, delta: string): void {
    const place = `${kind}-${key}`;
    let block = blocks.get(place);
    if (!block) {
      block = { kind, id: `${kind}-${source.sequence}`, length: 0 };
      blocks.set(place, block);
      add({ type: `${kind}-start`, id: block.id });
    }
    if (delta === "") return;
    block.length += delta.length;
    add({ type: `${kind}-delta`, id: block.id, delta });
  }

  function closeBlock(place: string): void {
    const block = blocks.get(place);
    if (!block) return;
    blocks.delete(place);
    add({ type: `${block.kind}-end`, id: block.id });
  }

  function closeStep(): void {
    // A step forgets its open blocks, so they end before it.
    for (const place of [...blocks.keys()]) closeBlock(place);
    if (inStep) add({ type: "finish-step" });
    inStep = false;
  }

  function startCall(data: Payload): void {
    const [toolCallId, toolName] = [text(data, "tool_call_id"), text(data, "tool_name")];
    if (calls.has(toolCallId)) return;
    calls.set(toolCallId, { toolName, state: "writing" });
    add({ type: "tool-input-start", toolCallId, toolName, dynamic: true });
  }

  function proposeCall(data: Payload): void {
    startCall(data);
    const toolCallId = text(data, "tool_call_id");
    const call = calls.get(toolCallId);
    if (call?.state !== "writing") return;
    call.state = "proposed";
    const { toolName } = call;
    add({ type: "tool-input-available", toolCallId, toolName, input: data.input ?? {}, dynamic: true });
  }

  return {
    begin(envelope) {
      source = envelope;
      if (begun) return;
      begun = true;
      const { run_id, task_id, session_id } = envelope;
      add({ type: "start", messageId: run_id, messageMetadata: present({ run_id, task_id, session_id }) });
    },
    add,
    keep(name, id, data) {
      kept.set(`${name} ${id}`, data);
      add({ type: `data-${name}`, id, data });
    },
    amend(name, id, fields) {
      const data = { ...kept.get(`${name} ${id}`), ...fields };
      kept.delete(`${name} ${id}`);
      add({ type: `data-${name}`, id, data });
    },
    take() {
      const taken = chunks;
      chunks = [];
      return taken;
    },
    openStep() {
      closeStep();
      add({ type: "start-step" });
      inStep = true;
    },
    closeStep,
    write,
    complete(kind, key, whole) {
      const place = `${kind}-${key}`;
      write(kind, key, whole.slice(blocks.get(place)?.length ?? 0));
      closeBlock(place);
    },
    startCall,
    writeCall(toolCallId, delta) {
      if (delta === "" || calls.get(toolCallId)?.state !== "writing") return;
      add({ type: "tool-input-delta", toolCallId, inputTextDelta: delta });
    },
    proposeCall,
    invokeCall(data) {
      if (!calls.has(text(data, "tool_call_id"))) proposeCall(data);
    },
    endCall(data, end) {
      const toolCallId = text(data, "tool_call_id");
      proposeCall(data);
      const call = calls.get(toolCallId);
      if (!call || call.state === "ended") return;
      call.state = "ended";
      add(end);
    },
    askFor(approvalId, toolCallId) {
      if (calls.get(toolCallId)?.state !== "proposed") return;
      approvals.set(approvalId, toolCallId);
      add({ type: "tool-approval-request", approvalId, toolCallId });
    },
    decide(approvalId, status, reason) {
      const toolCallId = approvals.get(approvalId);
      if (toolCallId === undefined) return;
      const approved = status === "approved";
      if (!approved && status !== "cancelled") denied.add(toolCallId);
      add(present({ type: "tool-approval-response", approvalId, approved, reason }));
    },
    isDenied: (toolCallId) => denied.has(toolCallId),
    end(last) {
      if (!begun) return;
      closeStep();
      for (const chunk of last) add(chunk);
      isOver = true;
    },
  };
}
