import type { Envelope } from "@spoor/protocol";
import { visibleLine } from "../text/visible.ts";
import { bytes, money, plural, stepTime } from "../ui/format.ts";

type Data = Readonly<Record<string, unknown>>;

const MOST = 240;

/** What an event says, in one safe line. */
export function gistOf({ type, data }: Pick<Envelope, "type" | "data">): string {
  const own = typeof data === "object" && data !== null ? (data as Data) : {};
  const parts = (special[type] ?? anyGist)(own).filter((part) => part !== undefined && part !== "");
  const line = parts
    .join(" · ")
    .slice(0, MOST * 2)
    .replaceAll(/\s+/g, " ")
    .toWellFormed();
  return visibleLine(line.length > MOST ? `${line.slice(0, MOST).toWellFormed()}…` : line);
}

type Gist = (data: Data) => readonly (string | undefined)[];

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, 600) : undefined;
const quoted = (value: unknown): string | undefined => (text(value) === undefined ? undefined : `“${text(value)}”`);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const turn = ({ turn_index }: Data): string | undefined =>
  number(turn_index) === undefined ? undefined : `turn ${turn_index}`;
const took = ({ duration_ms }: Data): string | undefined =>
  number(duration_ms) === undefined ? undefined : stepTime(number(duration_ms));
const spent = (value: unknown): string | undefined => (number(value) === undefined ? undefined : money(number(value)));
const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value).slice(0, 600);
const toolName = ({ tool_name, mcp_server, mcp_tool }: Data): string | undefined =>
  text(mcp_server) && text(mcp_tool) ? `${mcp_server}/${mcp_tool}` : text(tool_name);
const said: Gist = (data) => [quoted(data.text ?? data.delta ?? data.summary)];
const ended: Gist = (data) => [took(data), text(data.error), text(data.summary) ?? outputOf(data.output)];
const path: Gist = (data) => [text(data.path ?? data.file_path)];

/** The types that say more with words of their own. All others show their first plain values. */
const special: Readonly<Record<string, Gist>> = {
  "run.created": (data) => [text(data.agent), text(data.model), text(data.title)],
  "run.finished": (data) => [
    took(data),
    number(data.turns) === undefined ? undefined : plural(Number(data.turns), "turn"),
    spent(data.cost_micros_usd),
  ],
  "run.failed": (data) => [text(data.code), text(data.message)],
  "run.cancelled": (data) => [text(data.reason), text(data.by)],
  "session.started": (data) => [text(data.native_session_id), data.resumed === true ? "resumed" : undefined],
  "turn.started": (data) => [turn(data), text(data.model)],
  "turn.completed": (data) => [
    turn(data),
    took(data),
    number(data.tool_calls) === undefined ? undefined : plural(Number(data.tool_calls), "call"),
    text(data.stop_reason),
  ],
  "turn.failed": (data) => [turn(data), text(data.code), text(data.message)],
  "turn.step_started": (data) => [text(data.step_type)],
  "turn.step_completed": (data) => [`step ${data.step_index}`],
  "user.message": (data) => [quoted(data.text), data.via === "prompt" ? undefined : text(data.via)],
  "assistant.message_started": (data) => [`block ${data.block_index}`],
  "assistant.thinking_started": (data) => [`block ${data.block_index}`, text(data.effort)],
  "assistant.text_delta": said,
  "assistant.text_complete": said,
  "assistant.thinking_delta": said,
  "assistant.thinking_complete": said,
  "assistant.final_answer": said,
  "assistant.tool_call_input_delta": said,
  "assistant.tool_call_started": (data) => [text(data.tool_name), text(data.kind), text(data.tool_call_id)],
  "assistant.tool_call_proposed": (data) => [json(data.input)],
  "tool.invoked": (data) => [toolName(data)],
  "tool.started": (data) => [toolName(data)],
  "tool.completed": ended,
  "tool.failed": ended,
  "tool.cancelled": ended,
  "tool.timed_out": ended,
  "tool.shell.command": (data) => [text(data.command_string), text(data.cwd)],
  "tool.shell.output_chunk": (data) => [text(data.stream), quoted(data.data)],
  "tool.shell.exited": (data) => [`exit ${data.exit_code}`, took(data)],
  "tool.file_read.completed": path,
  "tool.todo_write.updated": ({ todos }) => [
    Array.isArray(todos)
      ? `${todos.filter((todo) => todo?.status === "completed").length} of ${todos.length} done`
      : "",
  ],
  "tool.edit.proposed": (data) => [text(data.path ?? data.file_path), text(data.mode ?? data.status)],
  "tool.file.patch": (data) => [
    text(data.path),
    text(data.artifact_status),
    number(data.diff_bytes) === undefined ? undefined : bytes(number(data.diff_bytes)),
  ],
  "approval.requested": (data) => [text(data.summary ?? data.detail), text(data.risk_level)],
  "approval.resolved": (data) => [text(data.decision), text(data.by), text(data.comment)],
  "policy.tool_blocked": (data) => [toolName(data), text(data.reason)],
  "input.requested": (data) => [quoted(data.question)],
  "artifact.created": (data) => [text(data.kind), text(data.path), text(data.summary)],
  "cost.tick": (data) => [spent(data.cumulative_cost_micros_usd), text(data.cost_source)],
  "limit.retry_scheduled": (data) => [
    `attempt ${data.attempt}`,
    text(data.reason),
    number(data.delay_ms) === undefined ? undefined : stepTime(number(data.delay_ms)),
  ],
  "debug.log": (data) => [text(data.stream), quoted(data.line)],
  "debug.message": (data) => [text(data.level), quoted(data.message)],
};

function outputOf(output: unknown): string | undefined {
  if (output === undefined || output === null) return undefined;
  return typeof output === "string" ? quoted(output) : json(output);
}

const anyGist: Gist = (data) =>
  Object.entries(data)
    .filter(
      ([name, value]) =>
        ["string", "number", "boolean"].includes(typeof value) && !name.endsWith("_id") && value !== "",
    )
    .slice(0, 4)
    .map(([name, value]) =>
      typeof value === "string" ? text(value) : `${name.replaceAll("_", " ")} ${plainValue(value)}`,
    );

/** Sums of floating point numbers have digits that nobody wrote. */
const plainValue = (value: unknown): string =>
  typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);

/** Types of one family have one colour: what the agent says, what it does, how the run goes, what needs a person. */
export function familyOf(type: string): "says" | "does" | "going" | "needs" | "error" | "gap" | "other" {
  const group = type.slice(0, type.indexOf("."));
  return families[group] ?? "other";
}

const families: Readonly<Record<string, ReturnType<typeof familyOf>>> = {
  assistant: "says",
  user: "says",
  tool: "does",
  artifact: "does",
  subagent: "does",
  run: "going",
  turn: "going",
  session: "going",
  task: "going",
  approval: "needs",
  input: "needs",
  error: "error",
  gap: "gap",
};
