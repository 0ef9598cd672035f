import type { ApprovalView, FileView, RunView, ToolView } from "@spoor/protocol";

/**
 * Encodes a run's view as the JSON of a snapshot. Long texts are cut; the events hold them in full. A long run has tens of
 * thousands of steps, so encoding yields to the event loop after every `PIECE_LENGTH` characters.
 */
export async function encodeSnapshot(facts: object, view: RunView): Promise<{ chunks: Buffer[]; workMs: number }> {
  const chunks: Buffer[] = [];
  let workMs = 0;
  let start = performance.now();
  let text = `{"object":"task_run_stream_event","data":${JSON.stringify({ ...facts, run: runOf(view) }).slice(0, -1)}`;
  for (const [name, items] of Object.entries(listsOf(view))) {
    text += `,"${name}":[`;
    let separator = "";
    for (const item of items) {
      text += separator + JSON.stringify(item);
      separator = ",";
      if (text.length < PIECE_LENGTH) continue;
      chunks.push(Buffer.from(text));
      text = "";
      workMs += performance.now() - start;
      await new Promise((resolve) => setImmediate(resolve));
      start = performance.now();
    }
    text += "]";
  }
  chunks.push(Buffer.from(`${text}}}`));
  return { chunks, workMs: workMs + performance.now() - start };
}

const PIECE_LENGTH = 256 * 1024;

/** Items are computed one by one, as the encoder reaches them. The view is immutable. */
const listsOf = (view: RunView): Record<string, Iterable<object>> => ({
  steps: mapped(view.tools, (tool, index) => stepOf(view, tool, index)),
  artifacts: artifactsOf(view),
  approvals: mapped(view.approvals, approvalOf),
  activity: activityOf(view),
});

const MAX_TEXT = 4_000;

const short = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;

const summary = (value: unknown): string | undefined =>
  short(value === undefined || typeof value === "string" ? value : JSON.stringify(value));

const runOf = (view: RunView) => ({
  run_id: view.runId,
  task_id: view.taskId,
  session_id: view.sessionId,
  agent: view.agent,
  kind: view.kind,
  model: view.model,
  provider: view.provider,
  workspace_path: view.workspacePath,
  status: view.status,
  state: view.state,
  turns: view.turn,
  step_count: view.tools.length,
  approval_count: view.approvals.length,
  artifact_count: view.artifacts.length,
  total_cost_micros_usd: view.cost.micros,
  input_tokens: view.cost.inputTokens,
  output_tokens: view.cost.outputTokens,
  last_error: short(view.end?.message ?? view.errors.at(-1)?.message),
  created_at: view.createdAt,
  started_at: view.startedAt,
  updated_at: view.updatedAt,
  finished_at: view.end?.at,
  todos: view.todos,
});

function stepOf(view: RunView, tool: ToolView, index: number) {
  const approval = view.approvals[tool.approvals.at(-1) ?? -1];
  return {
    id: tool.id,
    index: index + 1,
    kind: tool.kind,
    tool_name: tool.name,
    status: tool.state,
    turn_index: tool.turn,
    title: short(tool.summary),
    input: summary(tool.input ?? tool.inputText),
    output_summary: summary(tool.output),
    exit_code: view.shells[tool.shells.at(-1) ?? -1]?.exitCode,
    error: short(tool.error),
    approval_id: approval?.id,
    started_at: tool.startedAt ?? tool.proposedAt,
    finished_at: tool.endedAt,
  };
}

function artifactsOf({ artifacts, files }: RunView) {
  const stored = artifacts.map(({ id, kind, sizeBytes, summary, at }) => ({
    id,
    kind,
    size_bytes: sizeBytes,
    name: short(summary),
    created_at: at,
  }));
  const known = new Set(stored.map(({ id }) => id));
  return [...stored, ...files.filter(({ artifactId }) => artifactId && !known.has(artifactId)).map(patchOf)];
}

const patchOf = (file: FileView) => ({
  id: file.artifactId,
  kind: "patch",
  name: file.path,
  size_bytes: file.diffBytes,
  status: file.status,
  created_at: file.at,
});

const approvalOf = (approval: ApprovalView) => ({
  id: approval.id,
  status: approval.status,
  kind: approval.kind,
  tool_call_id: approval.toolCallId,
  tool_name: approval.toolName,
  reason: short(approval.summary ?? approval.policyReason),
  detail: short(approval.detail),
  risk_level: approval.riskLevel,
  requested_by: approval.requestedBy,
  requested_at: approval.requestedAt,
  expires_at: approval.expiresAt,
  resolved_by: approval.decidedBy,
  resolved_at: approval.decidedAt,
  resolution_note: short(approval.comment),
});

function* mapped<Item>(items: readonly Item[], to: (item: Item, index: number) => object): Iterable<object> {
  for (const [index, item] of items.entries()) yield to(item, index);
}

/** The timeline in order. Thoughts are not shown. */
function* activityOf(view: RunView): Iterable<object> {
  for (const { kind, index } of view.timeline) {
    const item = activityItem(view, kind, index);
    if (item) yield item;
  }
  if (view.end) yield { type: "run_result", text: view.end.status };
}

function activityItem(view: RunView, kind: string, index: number): object | undefined {
  if (kind === "tools") return { type: "tool_call", step: index + 1, text: view.tools[index]?.name };
  if (kind === "files") return { type: "patch", text: view.files[index]?.path };
  if (kind === "approvals") return { type: "approval", text: short(view.approvals[index]?.summary) };
  if (kind === "prompts") return { type: "prompt", text: short(view.prompts[index]?.text) };
  if (kind === "errors") return { type: "error", text: short(view.errors[index]?.message) };
  if (kind !== "messages") return undefined;
  const message = view.messages[index];
  return { type: message?.final ? "final_answer" : "message", text: short(message?.text) };
}
