import { type Envelope, envelopeTypes } from "@spoor/protocol";
import { maybe, number, type Payload, present, type Translator, text } from "../translator.ts";
import { withWholeTexts } from "../whole-texts.ts";
import { type Calls, createCalls } from "./calls.ts";
import { type Change, type Changes, createChanges } from "./changes.ts";
import { errorFields, runError } from "./errors.ts";
import type { ChecklistItem, StreamEvent, Waiting } from "./stream-event.ts";
import { createTexts, type Texts } from "./texts.ts";
import { createUsage, type UsageCount } from "./usage.ts";

export type { StreamEvent } from "./stream-event.ts";

/**
 * Translates a run into the events of Acolyte's stream. They are only appended, and what is said of a tool follows its
 * `tool-call`, also if the log begins in the middle of a run. An `error` ends the stream. Things that Acolyte has no word for
 * are left out if a client can do without them; events of other programs are passed on in a `status`.
 */
export function acolyteTranslator(): Translator<StreamEvent> {
  const run: Run = {
    calls: createCalls(),
    changes: createChanges(),
    texts: createTexts(),
    usage: createUsage(),
    title: "Plan",
  };
  let isOver = false;
  return withWholeTexts({
    translate(envelope) {
      if (isOver) return [];
      const events = (handlers[envelope.type] ?? other)(run, envelope.data, envelope);
      isOver = envelope.type === "run.finished" || events.at(-1)?.type === "error";
      return events;
    },
    cut: () =>
      isOver ? [] : [{ type: "error", ...errorFields("E_STREAM_CUT", "The stream ended before the run.", "err_cut") }],
    // Events only add to what a reader has, so nothing is open.
    reopen: () => [],
  });
}

interface Run {
  calls: Calls;
  changes: Changes;
  texts: Texts;
  usage: UsageCount;
  /** The title of the checklist. */
  title: string;
}

type Handler = (run: Run, data: Payload, envelope: Envelope) => StreamEvent[];
type Status = Extract<StreamEvent, { type: "status" }>;

const status = (fields: Omit<Status, "type" | "state"> = {}, kind: Status["state"]["kind"] = "running"): Status => ({
  type: "status",
  state: { kind },
  ...fields,
});

const toolEnd: Handler = ({ calls }, data, { type }) => calls.end(type, data);
const changed: Handler = ({ calls, changes }, data, { type }) => outputOf(calls, changes.changed(type, data));
const outputOf = (calls: Calls, change: Change | undefined): StreamEvent[] =>
  change ? calls.output(change.data, change.parts) : [];

const handlers: Readonly<Record<string, Handler>> = {
  "run.created": (run, data) => {
    run.title = maybe(data, "title") ?? run.title;
    return [];
  },
  "run.queued": () => [status({}, "queued")],
  "run.started": () => [status()],
  "run.paused": () => [status({ message: "The run is paused." })],
  "run.unpaused": () => [status({ message: "The run goes on." })],
  "run.finished": () => [],
  "run.failed": (_, data, { event_id }) => {
    const kind = maybe(data, "code") ?? "unknown";
    const retryable = typeof data.retriable === "boolean" ? data.retriable : undefined;
    return [{ type: "error", ...runError(event_id, kind, maybe(data, "message") ?? "The run failed.", retryable) }];
  },
  "run.cancelled": (_, data, { event_id }) => {
    const reason = maybe(data, "reason");
    const message = reason === undefined ? "The run was cancelled." : `The run was cancelled: ${reason}`;
    return [{ type: "error", ...runError(event_id, "cancelled", message) }];
  },

  "turn.failed": (_, data) => [status({ message: maybe(data, "error") ?? "A turn failed." })],
  "limit.rate_limited": () => [status({ message: "The model's service asks to slow down." })],

  "assistant.text_delta": ({ texts }, data) => texts.add("text-delta", data),
  "assistant.text_complete": ({ texts }, data) => texts.complete("text-delta", data),
  "assistant.thinking_delta": ({ texts }, data) => texts.add("reasoning", data),
  "assistant.thinking_complete": ({ texts }, data) => texts.complete("reasoning", data),

  "assistant.tool_call_started": ({ calls }, data) => {
    calls.name(data);
    return [];
  },
  "assistant.tool_call_proposed": ({ calls }, data) => calls.announce(data),
  "tool.invoked": ({ calls }, data) => calls.announce(data),
  "tool.started": ({ calls }, data) => calls.announce(data),
  "tool.completed": toolEnd,
  "tool.failed": toolEnd,
  "tool.cancelled": toolEnd,
  "tool.timed_out": toolEnd,
  "policy.tool_blocked": toolEnd,

  "tool.shell.command": ({ calls }, data) => calls.command(data),
  "tool.shell.output_chunk": ({ calls }, data) => {
    const stream = data.stream === "stderr" ? "stderr" : "stdout";
    return text(data, "data") === ""
      ? []
      : calls.output(data, [{ kind: "shell-output", stream, text: text(data, "data") }]);
  },
  "tool.shell.exited": ({ calls }, data) => calls.commandEnd(data),
  "tool.file.patch": changed,
  "tool.file.deleted": changed,
  "artifact.created": ({ calls, changes }, data) => outputOf(calls, changes.stored(data)),
  "tool.todo_write.updated": ({ title }, data, { run_id }) => [
    { type: "checklist", groupId: `plan_${run_id}`, groupTitle: title, items: itemsOf(data.todos) },
  ],

  "approval.requested": (_, data) => {
    const id = text(data, "approval_id");
    const summary = maybe(data, "summary") ?? maybe(data, "detail");
    const answer = { method: "POST", path: `/v1/approvals/${id}/resolve`, body: { decision: "approve" } } as const;
    const approval: Waiting = present({
      id,
      status: "pending",
      toolCallId: maybe(data, "tool_call_id"),
      summary,
      answer,
    });
    const message = `Waiting for an approval${summary === undefined ? "" : ` of ${summary}`}. Answer with \`spoor approve ${id}\`, on the page, or over HTTP.`;
    return [status({ message, approval })];
  },
  "approval.resolved": (_, data) => {
    const decision = data.decision === "approved" ? "approved" : "rejected";
    return [
      status({
        message: `The approval was ${decision}.`,
        approval: { id: text(data, "approval_id"), status: decision },
      }),
    ];
  },
  "approval.timed_out": (_, data) => [
    status({
      message: "Nobody answered the approval in time.",
      approval: { id: text(data, "approval_id"), status: "timed_out" },
    }),
  ],
  "input.requested": (_, data, { run_id }) => {
    const id = text(data, "interaction_id");
    const summary = text(data, "question");
    const body = { interaction_id: id, text: "" };
    const answer = { method: "POST", path: `/v1/runs/${run_id}/send`, body } as const;
    const question: Waiting = { id, status: "pending", summary, answer };
    return [status({ message: `The agent asks: ${summary}`, question })];
  },

  "cost.token_usage": ({ usage }, data) =>
    usage.ofCall(number(data, "input_tokens") ?? 0, number(data, "output_tokens") ?? 0),
  "cost.tick": ({ usage }, data) =>
    usage.soFar(number(data, "cumulative_input_tokens") ?? 0, number(data, "cumulative_output_tokens") ?? 0),

  "gap.events_pruned": () => [status({ message: "Earlier events of this run were removed from the log." })],
  "gap.events_lost": () => [status({ message: "Some events of this run are lost." })],
};

const known: ReadonlySet<string> = new Set(envelopeTypes);

/** Types of the catalog without a handler say nothing that a client of Acolyte needs. */
const other: Handler = (_, __, envelope) =>
  known.has(envelope.type) ? [] : [status({ message: envelope.type, event: envelope })];

const itemStatus: Readonly<Record<string, ChecklistItem["status"]>> = {
  in_progress: "in_progress",
  completed: "done",
  cancelled: "failed",
};

function itemsOf(todos: unknown): ChecklistItem[] {
  if (!Array.isArray(todos)) return [];
  return todos.map((todo: Payload, order) => ({
    id: `item_${order + 1}`,
    label: maybe(todo ?? {}, "content") ?? "…",
    status: itemStatus[text(todo ?? {}, "status")] ?? "pending",
    order,
  }));
}
