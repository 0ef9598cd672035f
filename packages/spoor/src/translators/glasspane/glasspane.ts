import type { Envelope } from "@spoor/protocol";
import { asText, failureOf, maybe, type Payload, present, type Translator, text } from "../translator.ts";
import { stopOf } from "../zot/zot-events.ts";
import { countOf, createPane, lineOf, type Pane, type PaneLine, stateOf } from "./pane.ts";

/** An event in the words of Glasspane, which are those of pi, or the pane after its state has changed. */
export type GlasspaneLine =
  | PaneLine
  | ({ readonly type: string; readonly pane: string } & Readonly<Record<string, unknown>>);

export interface GlasspaneTranslator extends Translator<GlasspaneLine> {
  /** The pane as it is. Undefined before the first event. */
  pane(): PaneLine | undefined;
  /** Decides whether the run is stalled at a time (epoch milliseconds). Returns the pane if that is new. */
  check(now: number, stalledAfterMs: number): PaneLine | undefined;
}

/**
 * Translates a run into the vocabulary of Glasspane, as a pane of its own. Each call starts once, at its first sign, and ends
 * once. A pane is never `Done` before its run is over: the end of a turn is not the end of the work.
 */
export function glasspaneTranslator(): GlasspaneTranslator {
  const pane = createPane();
  let run_id: string | undefined;

  return {
    translate(envelope) {
      if (pane.isOver) return [];
      const lines: GlasspaneLine[] = [];
      const before = run_id === undefined ? undefined : stateOf(pane);
      const wasStalled = pane.stalled;
      pane.time = envelope.occurred_at;
      pane.stalled = false;
      const tell: Tell = (type, fields) => {
        lines.push({ type, pane: envelope.run_id, time: envelope.occurred_at, ...present(fields) });
      };
      if (run_id === undefined) {
        run_id = envelope.run_id;
        pane.agent = agentOf(envelope);
        tell("session", { id: run_id, agent: pane.agent });
      }
      // When the model goes on, the agent has its answer or does not need one.
      if (pane.waiting.size > 0 && goesOn.test(envelope.type)) pass(pane, envelope.data, tell, envelope);
      if (pane.isAnswered && works.test(envelope.type)) pane.isAnswered = false;
      handlers[envelope.type]?.(pane, envelope.data, tell, envelope);
      if (before !== stateOf(pane) || wasStalled) lines.push(lineOf(envelope.run_id, pane));
      return lines;
    },
    // A pane is complete at any time.
    cut: () => [],
    pane: () => (run_id === undefined ? undefined : lineOf(run_id, pane)),
    check(now, stalledAfterMs) {
      if (run_id === undefined || pane.isOver || pane.stalled) return undefined;
      pane.stalled = now - Date.parse(pane.time) >= stalledAfterMs;
      return pane.stalled ? lineOf(run_id, pane) : undefined;
    },
  };
}

type Tell = (type: string, fields: Record<string, unknown>) => void;
type Handler = (pane: Pane, data: Payload, tell: Tell, envelope: Envelope) => void;

const callId = (data: Payload): string => text(data, "tool_call_id");
const blockKey = (data: Payload): string => `${data.turn_index}-${data.block_index}`;

/** Runs of commands, and the loop in older logs, have no agent or another name for it. */
const agentOf = ({ data }: Envelope): string => maybe(data, "agent") ?? maybe(data, "kind") ?? "unknown";

const begin: Handler = (pane) => {
  pane.hasBegun = true;
};

/** The first sign of a call starts it. Signs of a call that has ended are ignored. */
function startCall(pane: Pane, data: Payload, tell: Tell): boolean {
  const id = callId(data);
  if (id === "" || pane.ended.has(id)) return false;
  pane.hasBegun = true;
  if (pane.calls.has(id)) return true;
  const toolName = maybe(data, "tool_name") ?? "unknown";
  pane.calls.set(id, toolName);
  pane.hasCalled = true;
  tell("tool_execution_start", { toolCallId: id, toolName });
  return true;
}

/** What a call says while it is made or runs. */
const update =
  (fields: (data: Payload) => Record<string, unknown> | undefined): Handler =>
  (pane, data, tell) => {
    if (!startCall(pane, data, tell)) return;
    const told = fields(data);
    if (told)
      tell("tool_execution_update", { toolCallId: callId(data), toolName: pane.calls.get(callId(data)), ...told });
  };

function endCall(pane: Pane, data: Payload, tell: Tell, result: unknown, isError: boolean): void {
  if (!startCall(pane, data, tell)) return;
  const id = callId(data);
  const toolName = pane.calls.get(id);
  pane.calls.delete(id);
  pane.ended.add(id);
  tell("tool_execution_end", { toolCallId: id, toolName, result, isError });
}

const failed: Handler = (pane, data, tell, { type }) => endCall(pane, data, tell, failureOf(type, data), true);

function write(pane: Pane, data: Payload, tell: Tell, delta: string): void {
  const key = blockKey(data);
  pane.hasBegun = true;
  if (!pane.texts.has(key)) tell("message_start", { role: "assistant" });
  pane.texts.set(key, (pane.texts.get(key) ?? 0) + delta.length);
  if (delta !== "") tell("message_update", { role: "assistant", delta });
}

/** Somebody is waited for, or no longer. */
const wait =
  (change: (waiting: Set<string>, data: Payload) => void): Handler =>
  (pane, data, tell) => {
    const before = pane.waiting.size;
    change(pane.waiting, data);
    if (pane.waiting.size !== before) tell("queue_update", { waiting: countOf(pane.waiting) });
  };

const QUESTION = "question ";
const goesOn = /^turn\.started$|^assistant\.(message|text|thinking|tool_call|image)_(?!complete$)/;
/** The run goes on, or lost its process. */
const works = /^(turn|assistant|tool|gap)\.|^run\.started$/;
const pass = wait((waiting) => {
  for (const id of [...waiting]) if (id.startsWith(QUESTION)) waiting.delete(id);
});
const decided = wait((waiting, data) => {
  waiting.delete(text(data, "approval_id"));
  // A run that waited for this approval goes on.
  if (countOf(waiting) === 0) waiting.delete("run");
});
const answered: Handler = (pane, data, tell, envelope) => {
  decided(pane, data, tell, envelope);
  pane.isAnswered = true;
};

const answeredQuestion = wait((waiting, data) => void waiting.delete(`${QUESTION}${text(data, "interaction_id")}`));

/** An error keeps the pane in its state until another turn begins. */
function fail(pane: Pane, message: string, tell: Tell): void {
  if (pane.error !== message) tell("error", { message });
  pane.error = message;
}

const failure: Handler = (pane, data, tell, { type }) => fail(pane, maybe(data, "message") ?? type, tell);

/** Ends what is open, so that nothing runs in a pane that is over. */
function end(pane: Pane, tell: Tell, fields: Record<string, unknown>): void {
  for (const [tool_call_id] of [...pane.calls])
    endCall(pane, { tool_call_id }, tell, "The call did not report its end.", true);
  pane.waiting.clear();
  pane.isOver = true;
  tell("agent_end", fields);
}

/** What the run itself waited for is over. */
const taken = wait((waiting) => {
  waiting.delete("run");
  waiting.delete("pause");
});

const handlers: Readonly<Record<string, Handler>> = {
  "run.started": (pane, data, tell, envelope) => {
    taken(pane, data, tell, envelope);
    pane.hasBegun = true;
    tell("agent_start", {});
  },
  // A run that held no process while it waited or was paused goes on in the queue. It is not idle again.
  "run.queued": (pane, data, tell, envelope) => {
    const isPaused = pane.waiting.has("pause");
    taken(pane, data, tell, envelope);
    if (!pane.isAnswered && !isPaused) pane.hasBegun = false;
  },
  "run.created": wait((waiting, { status }) => void (status === "awaiting_approval" && waiting.add("run"))),
  "run.awaiting_approval": wait((waiting) => void waiting.add("run")),
  "run.paused": wait((waiting) => void waiting.add("pause")),
  "run.unpaused": wait((waiting) => void waiting.delete("pause")),
  "run.finished": (pane, _, tell) => end(pane, tell, { outcome: "finished" }),
  "run.cancelled": (pane, data, tell) => end(pane, tell, { outcome: "cancelled", reason: maybe(data, "reason") }),
  "run.failed": (pane, data, tell) => {
    fail(pane, maybe(data, "message") ?? maybe(data, "code") ?? "The run failed.", tell);
    end(pane, tell, { outcome: "failed" });
  },

  "user.message": (pane, data, tell, envelope) => {
    tell("message_update", { role: "user", text: text(data, "text") });
    answeredQuestion(pane, data, tell, envelope);
  },
  "turn.started": (pane, data, tell) => {
    pane.hasBegun = true;
    pane.error = undefined;
    pane.turn += 1;
    pane.hasCalled = false;
    pane.hasFailed = false;
    tell("turn_start", { turn: pane.turn, model: maybe(data, "model") });
  },
  "turn.failed": (pane) => {
    pane.hasFailed = true;
  },
  // Only the end of the run is the end of the work. `stop` says so to readers that know no panes.
  "turn.completed": (pane, data, tell) => {
    const said = stopOf(maybe(data, "stop_reason")) ?? "end";
    const stop = pane.hasFailed ? "error" : pane.hasCalled ? "tool_use" : said;
    tell("turn_end", { turn: pane.turn, stop });
  },
  "assistant.thinking_delta": begin,
  "assistant.message_started": (pane, data, tell) => write(pane, data, tell, ""),
  "assistant.text_delta": (pane, data, tell) => write(pane, data, tell, text(data, "delta")),
  "assistant.text_complete": (pane, data, tell) => {
    write(pane, data, tell, text(data, "text").slice(pane.texts.get(blockKey(data)) ?? 0));
    tell("message_end", { role: "assistant", text: text(data, "text") });
  },

  "assistant.tool_call_started": update((data) => {
    const delta = maybe(data, "input_text");
    return delta === undefined ? undefined : { delta };
  }),
  "assistant.tool_call_input_delta": update((data) => ({ delta: text(data, "delta") })),
  "assistant.tool_call_proposed": update((data) => ({ args: data.input ?? {} })),
  "tool.invoked": update(() => undefined),
  "tool.started": update(() => undefined),
  "tool.shell.output_chunk": update((data) => ({ text: text(data, "data") })),
  "tool.completed": (pane, data, tell) =>
    endCall(pane, data, tell, asText(data.output ?? maybe(data, "error")), data.result === "tool_error"),
  "tool.failed": failed,
  "tool.cancelled": failed,
  "tool.timed_out": failed,
  "policy.tool_blocked": failed,

  "approval.requested": wait((waiting, data) => void waiting.add(text(data, "approval_id"))),
  "approval.resolved": answered,
  "approval.timed_out": answered,
  "input.requested": wait((waiting, data) => void waiting.add(`${QUESTION}${text(data, "interaction_id")}`)),

  "error.auth": failure,
  "error.crash": failure,
  "error.context_exceeded": failure,
  "error.reported": (pane, data, tell, envelope) => {
    if (data.recoverable !== true) failure(pane, data, tell, envelope);
  },
};
