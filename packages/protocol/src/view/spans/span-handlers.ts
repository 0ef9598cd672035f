import { count, key, text } from "../payload-fields.ts";
import { detailOfInput, oneLine } from "./detail.ts";
import type { Moment, SpanList } from "./span-list.ts";
import type { SpanOutcome } from "./types.ts";

type Data = Readonly<Record<string, unknown>>;
type Handler = (list: SpanList, data: Data, moment: Moment) => void;

/** Everything that the model writes. It ends a pending retry, and a question that nobody answered. */
const modelSpeaks: Handler = (list, data, moment) => {
  list.finishAll("question", moment);
  cutRetry(list, moment);
  if (list.turn === 0) list.turn = count(data.turn_index) ?? 0;
};

/** The types that begin or end a span. All others only move the time of the last event. */
export const spanHandlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ["turn.started", startTurn],
  ["turn.completed", (list, data, moment) => endTurn(list, data, moment, "completed")],
  ["turn.failed", (list, data, moment) => endTurn(list, data, moment, "failed")],
  ["assistant.final_answer", (list) => list.note("turn", { final: true })],
  ["assistant.message_started", modelSpeaks],
  ["assistant.text_delta", modelSpeaks],
  ["assistant.tool_call_started", modelSpeaks],
  ["assistant.tool_call_input_delta", modelSpeaks],
  ["assistant.image_output", modelSpeaks],
  ["assistant.thinking_started", startThinking],
  ["assistant.thinking_delta", (list, data, moment) => list.open.has("thinking") || startThinking(list, data, moment)],
  ["assistant.thinking_complete", (list, _, moment) => list.finish("thinking", moment)],
  [
    "assistant.tool_call_proposed",
    (list, data, moment) => {
      modelSpeaks(list, data, moment);
      describeCall(list, data, detailOfInput(data.input));
    },
  ],
  ["tool.shell.command", (list, data) => describeCall(list, data, oneLine(data.command_string))],
  ["tool.invoked", startCall],
  ["tool.started", startCall],
  ["tool.completed", (list, data, moment) => endCall(list, data, moment, "completed")],
  ["tool.failed", (list, data, moment) => endCall(list, data, moment, "failed")],
  ["tool.cancelled", (list, data, moment) => endCall(list, data, moment, "cancelled")],
  ["tool.timed_out", (list, data, moment) => endCall(list, data, moment, "timed_out")],
  ["policy.tool_blocked", (list, data, moment) => endCall(list, data, moment, "blocked")],
  ["subagent.started", startSubagent],
  ["subagent.completed", (list, data, moment) => endSubagent(list, data, moment, "completed")],
  ["subagent.failed", (list, data, moment) => endSubagent(list, data, moment, "failed")],
  ["approval.requested", requestApproval],
  ["approval.resolved", (list, data, moment) => endApproval(list, data, moment, decisionOf(data))],
  ["approval.timed_out", (list, data, moment) => endApproval(list, data, moment, "timed_out")],
  ["input.requested", askQuestion],
  ["user.message", answerQuestion],
  ["run.paused", (list, data, moment) => pause(list, data, moment)],
  ["run.unpaused", (list, _, moment) => list.finish("pause", moment)],
  ["limit.retry_scheduled", retryLater],
  ["gap.run_disconnected", loseWorker],
  ["run.queued", startAgain],
  ["run.started", startAgain],
  ["run.finished", (list, data, moment) => endRun(list, data, moment)],
  ["run.failed", (list, data, moment) => endRun(list, data, moment)],
  ["run.cancelled", (list, data, moment) => endRun(list, data, moment)],
  ["cost.tick", (list, data, moment) => addCost(list, data.cumulative_cost_micros_usd, data, moment)],
  ["cost.budget_warning", (list, data, moment) => addCost(list, data.cumulative_cost_micros_usd, data, moment)],
  ["cost.budget_exceeded", (list, data, moment) => addCost(list, data.cumulative_cost_micros_usd, data, moment)],
]);

function startTurn(list: SpanList, data: Data, moment: Moment): void {
  closeTurn(list, moment);
  list.finishAll("question", moment);
  cutRetry(list, moment);
  // A run can go on after its terminal event: with the next prompt of a conversation.
  list.end = undefined;
  list.turn = count(data.turn_index) ?? list.turn + 1;
  list.begin("turn", moment, { kind: "turn", label: key(data.model) });
}

/** A failed turn also gets `turn.completed`; its first end counts. */
function endTurn(list: SpanList, data: Data, moment: Moment, outcome: SpanOutcome): void {
  const number = count(data.turn_index);
  if (number !== undefined && number !== list.turn && list.open.has("turn")) return;
  closeTurn(list, moment, outcome);
  addCost(list, data.run_cumulative_cost_micros_usd, data, moment);
}

function closeTurn(list: SpanList, moment: Moment, outcome?: SpanOutcome): void {
  list.finish("thinking", moment);
  list.finish("turn", moment, { outcome });
}

function startThinking(list: SpanList, data: Data, moment: Moment): void {
  modelSpeaks(list, data, moment);
  list.finish("thinking", moment);
  list.begin("thinking", moment, { kind: "thinking", turn: count(data.turn_index) || undefined });
}

const idOf = (data: Data): string => text(data.tool_call_id) ?? "";
const ofMcp = ({ mcp_server, mcp_tool }: Data): string | undefined =>
  key(mcp_server) && key(mcp_tool) && `${mcp_server}/${mcp_tool}`;

function describeCall(list: SpanList, data: Data, detail: string | undefined): void {
  if (detail === undefined) return;
  const id = idOf(data);
  if (!list.open.has(`tool ${id}`)) list.calls.set(id, { detail });
  else list.note(`tool ${id}`, { detail });
}

function startCall(list: SpanList, data: Data, moment: Moment): void {
  const id = idOf(data);
  if (list.open.has(`tool ${id}`)) return;
  const known = list.calls.get(id);
  list.calls.set(id, {});
  list.begin(`tool ${id}`, moment, {
    kind: "tool",
    tool: id,
    of: key(data.kind),
    label: ofMcp(data) ?? key(data.tool_name),
    detail: known?.detail,
    turn: count(data.turn_index) || list.turn || undefined,
  });
}

function endCall(list: SpanList, data: Data, moment: Moment, reported: SpanOutcome): void {
  const id = idOf(data);
  const outcome = data.result === "blocked" ? "blocked" : data.result === "tool_error" ? "failed" : reported;
  if (!list.open.has(`tool ${id}`)) {
    if (list.calls.get(id)?.ended) return;
    // The start was not seen. Without its duration, the call is a point.
    const ran = outcome === "blocked" ? 0 : (count(data.duration_ms) ?? 0);
    startCall(list, data, { ...moment, at: Math.max(0, moment.at - ran) });
  }
  // A call that was rejected never ran, so it takes no time.
  list.finish(`tool ${id}`, moment, outcome === "blocked" ? { outcome, from: moment.at } : { outcome });
  list.calls.set(id, { ended: true });
}

function startSubagent(list: SpanList, data: Data, moment: Moment): void {
  const id = text(data.subagent_id) ?? "";
  list.begin(`subagent ${id}`, moment, {
    kind: "subagent",
    label: key(data.agent_name),
    detail: oneLine(data.prompt),
    childRunId: key(data.child_run_id),
  });
}

function endSubagent(list: SpanList, data: Data, moment: Moment, outcome: SpanOutcome): void {
  list.finish(`subagent ${text(data.subagent_id) ?? ""}`, moment, { outcome });
}

function requestApproval(list: SpanList, data: Data, moment: Moment): void {
  list.begin(`approval ${text(data.approval_id) ?? ""}`, moment, {
    kind: "wait",
    of: "approval",
    tool: key(data.tool_call_id),
    label: key(data.tool_name),
    detail: detailOfInput(data.input) ?? oneLine(data.summary) ?? oneLine(data.detail),
    turn: count(data.turn_index) || list.turn || undefined,
  });
}

function endApproval(list: SpanList, data: Data, moment: Moment, outcome: SpanOutcome): void {
  list.finish(`approval ${text(data.approval_id) ?? ""}`, moment, { outcome, by: key(data.by) });
}

const decisionOf = ({ decision }: Data): SpanOutcome =>
  decision === "approved" || decision === "rejected" ? decision : "cancelled";

function askQuestion(list: SpanList, data: Data, moment: Moment): void {
  const id = text(data.interaction_id) ?? "";
  list.begin(`question ${id}`, moment, { kind: "wait", of: "question", detail: oneLine(data.question) });
}

function answerQuestion(list: SpanList, data: Data, moment: Moment): void {
  const id = key(data.interaction_id);
  if (id !== undefined) list.finish(`question ${id}`, moment, { outcome: "completed" });
}

function pause(list: SpanList, data: Data, moment: Moment): void {
  if (list.open.has("pause")) return;
  list.begin("pause", moment, { kind: "wait", of: "pause", detail: oneLine(data.reason), by: key(data.by) });
}

/** A retry ends after its delay, or earlier when the model is called again. */
function retryLater(list: SpanList, data: Data, moment: Moment): void {
  cutRetry(list, moment);
  list.begin("retry", moment, { kind: "retry", detail: oneLine(data.reason) });
  list.note("retry", { to: moment.at + (count(data.delay_ms) ?? 0) });
}

function cutRetry(list: SpanList, moment: Moment): void {
  const index = list.open.get("retry");
  if (index === undefined) return;
  const planned = list.spans[index]?.to ?? moment.at;
  list.finish("retry", moment, { to: Math.min(planned, moment.at) });
}

function loseWorker(list: SpanList, data: Data, { at }: Moment): void {
  const since = Date.parse(text(data.since_at) ?? "") - (list.origin ?? 0);
  list.lostAt = Number.isFinite(since) ? Math.min(Math.max(since, 0), at) : at;
}

/** Another worker starts, so nothing of the lost one goes on. What waits for a person still waits. */
function startAgain(list: SpanList, _: Data, moment: Moment): void {
  if (list.lostAt === undefined) return;
  const lost = { ...moment, at: list.lostAt };
  list.lostAt = undefined;
  cutRetry(list, lost);
  for (const work of ["thinking", "tool ", "subagent ", "turn"]) list.finishAll(work, lost, "cancelled");
}

function endRun(list: SpanList, data: Data, moment: Moment): void {
  cutRetry(list, moment);
  list.finishAll("", moment, "cancelled");
  list.end = moment.at;
  addCost(list, data.cost_micros_usd, data, moment);
}

/** A cost of 0 before anything was reported means that the cost is not known. */
function addCost(list: SpanList, value: unknown, data: Data, { at, sequence }: Moment): void {
  const micros = count(value);
  const before = list.costs.at(-1);
  if (micros === undefined || micros === (before?.micros ?? 0)) return;
  const source = key(data.cost_source) ?? before?.source;
  list.costs.push(source === undefined ? { at, micros, sequence } : { at, micros, source, sequence });
}
