import path from "node:path";
import type { ContentBlock, PlanEntry } from "@agentclientprotocol/sdk";
import type { Envelope } from "@spoor/protocol";
import { withoutHistory } from "../conversation/history.ts";
import { asText, failureOf, maybe, number, type Payload, type Translator, text } from "../translator.ts";
import { withWholeTexts } from "../whole-texts.ts";
import { answered, asked, question } from "./asking.ts";
import { boundedJson } from "./bounded.ts";
import { addLocation, addOutput, contentOf, readInput, shortLine } from "./calls.ts";
import { diffsOfPatch, wholeDiff } from "./diffs.ts";
import type { AcpMessage } from "./messages.ts";
import { outcomeOf } from "./outcome.ts";
import {
  type AcpTranslatorOptions,
  callOf,
  change,
  type Handler,
  open,
  type State,
  send,
  tell,
  words,
} from "./state.ts";

/** Translates a run into ACP 1: the updates of its session, and what the user of the editor is asked. */
export function acpTranslator(options: AcpTranslatorOptions = {}): Translator<AcpMessage> {
  const state: State = {
    options,
    cwd: "/",
    calls: new Map(),
    blocks: new Map(),
    usage: { used: 0, size: 0 },
    priorCost: 0,
    approvals: new Map(),
    messages: [],
  };
  return withWholeTexts({
    translate(envelope) {
      handlers[envelope.type]?.(state, envelope.data, envelope);
      const { messages } = state;
      state.messages = [];
      return messages;
    },
    cut: () => [],
  });
}

type ChunkKind = "agent_message_chunk" | "agent_thought_chunk";

/** Sends the part of a block that was not sent yet. */
function write(state: State, envelope: Envelope, sessionUpdate: ChunkKind, delta: string): void {
  const { turn_index, block_index } = envelope.data;
  const key = `${sessionUpdate} ${turn_index} ${block_index}`;
  const block = state.blocks.get(key) ?? { messageId: envelope.event_id, length: 0 };
  state.blocks.set(key, block);
  if (delta === "") return;
  block.length += delta.length;
  send(state, envelope, { sessionUpdate, content: words(delta), messageId: block.messageId });
}

const delta =
  (kind: ChunkKind): Handler =>
  (state, data, envelope) =>
    write(state, envelope, kind, text(data, "delta"));

/** A block whose pieces were not delivered comes whole at its end. */
const complete =
  (kind: ChunkKind): Handler =>
  (state, data, envelope) => {
    const key = `${kind} ${data.turn_index} ${data.block_index}`;
    write(state, envelope, kind, text(data, "text").slice(state.blocks.get(key)?.length ?? 0));
    state.blocks.delete(key);
  };

const end =
  (status: "completed" | "failed", resultOf: (data: Payload, type: string) => string): Handler =>
  (state, data, envelope) => {
    const call = callOf(state, envelope);
    if (!call) return;
    call.status = status;
    call.result = resultOf(data, envelope.type);
    const rawOutput = isAbsent(data.output) ? undefined : boundedJson(data.output);
    change(state, envelope, call, { status, content: contentOf(call), rawOutput });
  };
const isAbsent = (output: unknown): boolean => output === undefined || output === null;
const failed = end("failed", (data, type) => failureOf(type, data));

/** The change of a file as a diff of its call, or of a call of its own if no call made it. */
const changedFile: Handler = (state, data, envelope) => {
  const file = path.resolve(state.cwd, text(data, "path"));
  const artifact = maybe(data, "artifact_id");
  const texts = artifact === undefined ? undefined : state.options.textsOf?.(artifact);
  const diffs = texts ? [wholeDiff(file, texts)] : diffsOfPatch(file, text(data, "diff"));
  const id = maybe(data, "tool_call_id");
  const call = open(state, { ...envelope, data: { kind: "edit", ...data } }, id ?? `file ${file}`, id ? undefined : "");
  if (diffs.length > 0) call.diffs.set(file, diffs);
  addLocation(call, file);
  if (id === undefined)
    Object.assign(call, { title: shortLine(`Changed: ${text(data, "path")}`), status: "completed" });
  change(state, envelope, call, {
    ...(id === undefined && { title: call.title, status: call.status }),
    content: contentOf(call),
    locations: [...call.locations.values()],
  });
};

const readFile: Handler = (state, data, envelope) => {
  const call = callOf(state, envelope);
  if (!call || !addLocation(call, path.resolve(state.cwd, text(data, "path")))) return;
  change(state, envelope, call, { locations: [...call.locations.values()] });
};

/** Tells the tokens and the cost if they are not what was told last. */
const usage: Handler = (state, _, envelope) => {
  const told = JSON.stringify(state.usage);
  if (told === state.toldUsage) return;
  state.toldUsage = told;
  send(state, envelope, { sessionUpdate: "usage_update", ...state.usage });
};

const dollars = (micros: number) => ({ amount: micros / 1_000_000, currency: "USD" });

const planStatus: Readonly<Record<string, PlanEntry["status"]>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
  // ACP has no word for an item that was given up. It is not to be done any more.
  cancelled: "completed",
};

const failedRun: Handler = (state, data, envelope) => {
  const outcome = outcomeOf(envelope);
  if (text(data, "code").toLowerCase() === "approval_rejected")
    return tell(state, envelope, "\n\nPermission was refused, so the run ended.\n\n");
  if (outcome && "code" in outcome) tell(state, envelope, `\n\nThe run failed: ${outcome.message}\n\n`, "replay");
};

const handlers: Readonly<Record<string, Handler>> = {
  "run.created": (state, data, envelope) => {
    state.cwd = maybe(data, "workspace_path") ?? state.cwd;
    const title = maybe(data, "title");
    // The title of a session is what it began with.
    if (title === undefined || maybe(data, "prior_run_id") !== undefined) return;
    const updatedAt = envelope.occurred_at;
    send(state, envelope, { sessionUpdate: "session_info_update", title: shortLine(title), updatedAt });
  },
  "run.resumed_from_event": (state, data) => {
    state.priorCost = number(data, "prior_cost_micros_usd") ?? 0;
    if (state.priorCost > 0) state.usage.cost = dollars(state.priorCost);
  },
  "run.failed": failedRun,

  "turn.started": (state, data) => {
    state.usage.size = state.options.contextSizeOf?.(text(data, "model")) ?? state.usage.size;
  },
  "user.message": (state, data, envelope) => {
    const isPrompt = (maybe(data, "via") ?? "prompt") === "prompt";
    const said = isPrompt ? withoutHistory(text(data, "text")) : text(data, "text");
    const update = { sessionUpdate: "user_message_chunk", content: words(said), messageId: envelope.event_id } as const;
    send(state, envelope, update, isPrompt ? "replay" : undefined);
  },
  "assistant.message_started": (state, _, envelope) => write(state, envelope, "agent_message_chunk", ""),
  "assistant.text_delta": delta("agent_message_chunk"),
  "assistant.text_complete": complete("agent_message_chunk"),
  "assistant.thinking_started": (state, _, envelope) => write(state, envelope, "agent_thought_chunk", ""),
  "assistant.thinking_delta": delta("agent_thought_chunk"),
  "assistant.thinking_complete": complete("agent_thought_chunk"),
  "assistant.image_output": (state, data, envelope) => {
    const data64 = maybe(data, "base64");
    const file = maybe(data, "file_path");
    const uri = file === undefined ? undefined : `file://${path.resolve(state.cwd, file)}`;
    const mimeType = text(data, "mime");
    const content: ContentBlock | undefined =
      data64 !== undefined && data64.length <= MAX_IMAGE_LENGTH
        ? { type: "image", data: data64, mimeType, ...(uri !== undefined && { uri }) }
        : uri === undefined
          ? undefined
          : { type: "resource_link", uri, name: path.basename(uri), mimeType };
    if (content) send(state, envelope, { sessionUpdate: "agent_message_chunk", content });
  },

  "assistant.tool_call_started": (state, _, envelope) => void callOf(state, envelope),
  "assistant.tool_call_proposed": (state, data, envelope) => {
    const call = callOf(state, envelope);
    if (!call) return;
    readInput(call, text(data, "tool_name"), data.input, state.cwd);
    const locations = call.locations.size > 0 ? [...call.locations.values()] : undefined;
    change(state, envelope, call, { title: call.title, rawInput: boundedJson(data.input), locations });
  },
  "tool.started": (state, _, envelope) => {
    const call = callOf(state, envelope);
    if (call?.status !== "pending") return;
    call.status = "in_progress";
    change(state, envelope, call, { status: call.status });
  },
  "tool.completed": end("completed", (data) => (isAbsent(data.output) ? text(data, "error") : asText(data.output))),
  "tool.failed": failed,
  "tool.cancelled": failed,
  "tool.timed_out": failed,
  "policy.tool_blocked": failed,

  "tool.shell.command": (state, data, envelope) => {
    const call = callOf(state, envelope);
    const command = maybe(data, "command_string");
    if (!call || command === undefined || call.title === shortLine(command)) return;
    call.title = shortLine(command);
    change(state, envelope, call, { title: call.title });
  },
  "tool.shell.output_chunk": (state, data, envelope) => {
    const call = callOf(state, envelope);
    if (call && addOutput(call, text(data, "data"))) change(state, envelope, call, { content: contentOf(call) });
  },
  "tool.file.patch": changedFile,
  "tool.file_read.completed": readFile,
  "tool.todo_write.updated": (state, data, envelope) => {
    const todos = Array.isArray(data.todos) ? (data.todos as Payload[]) : [];
    const entries = todos.map((todo) => ({
      content: text(todo, "content"),
      priority: "medium" as const,
      status: planStatus[text(todo, "status")] ?? "pending",
    }));
    send(state, envelope, { sessionUpdate: "plan", entries });
  },

  "approval.requested": asked,
  "approval.resolved": answered(({ decision }) => decision === "approved"),
  "approval.timed_out": answered(() => false),
  "input.requested": question,

  "cost.token_usage": (state, data, envelope) => {
    state.usage.used = (number(data, "input_tokens") ?? 0) + (number(data, "output_tokens") ?? 0);
    usage(state, data, envelope);
  },
  "limit.context_warning": (state, data, envelope) => {
    state.usage.used = number(data, "used_tokens") || state.usage.used;
    state.usage.size = number(data, "max_tokens") || state.usage.size;
    usage(state, data, envelope);
  },
  "cost.tick": (state, data, envelope) => {
    const own = number(data, "cumulative_cost_micros_usd") ?? 0;
    const micros = number(data, "task_cumulative_cost_micros_usd") ?? state.priorCost + own;
    if (micros > 0) state.usage.cost = dollars(micros);
    usage(state, data, envelope);
  },
  "gap.events_lost": (state, _, envelope) => tell(state, envelope, "\n\n(Some events of this run are lost.)\n\n"),
  "gap.events_pruned": (state, _, envelope) =>
    tell(state, envelope, "\n\n(The earlier events of this run were removed.)\n\n"),
};

const MAX_IMAGE_LENGTH = 4_000_000;
