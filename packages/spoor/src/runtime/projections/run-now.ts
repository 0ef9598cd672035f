type Data = Readonly<Record<string, unknown>>;

/** What the line needs to remember: the call that it tells about. */
export interface NowMemory {
  toldCall?: unknown;
}

/** What a run does after an event, in one line. Undefined leaves the line as it is. */
export const nowByType: Readonly<Record<string, (data: Data, memory?: NowMemory) => string | undefined>> = {
  "run.created": () => undefined,
  "run.queued": ({ due_at, resume }) => {
    if (typeof due_at !== "string") return "is queued";
    // It is due earlier if its subagent is answered earlier.
    return resume === true ? "waits to go on" : `is queued until ${due_at}`;
  },
  "run.awaiting_approval": () => "waits for permission to start",
  "run.started": () => "starts",
  "run.paused": () => "is paused",
  "run.unpaused": () => "goes on",
  "run.interrupted": () => "is being interrupted",
  "run.aborted": () => "is being stopped",
  "turn.started": ({ model }) => `calls the model${text(model) ? ` ${text(model)}` : ""}`,
  "assistant.thinking_started": () => "thinks",
  "assistant.message_started": () => "writes an answer",
  "assistant.tool_call_started": ({ tool_name }) => `prepares ${text(tool_name) ?? "a call"}`,
  "assistant.tool_call_proposed": ({ tool_call_id, kind, input }, memory = {}) => {
    const line = callLine(kind, input);
    if (line !== undefined) memory.toldCall = tool_call_id;
    return line;
  },
  "tool.invoked": uses,
  "tool.started": uses,
  "tool.shell.command": ({ command_string }) => `runs ${text(command_string) ?? "a command"}`,
  "tool.edit.proposed": ({ path }) => text(path) && `edits ${path}`,
  "tool.multi_edit.proposed": ({ path }) => text(path) && `edits ${path}`,
  "tool.file_write.proposed": ({ path }) => text(path) && `writes ${path}`,
  "tool.file_read.completed": ({ path }) => text(path) && `reads ${path}`,
  "tool.todo_write.updated": ({ todos }) => currentTodo(todos),
  "approval.requested": ({ summary, detail, action, kind }) =>
    `asks for permission: ${text(summary) ?? text(detail) ?? text(action) ?? text(kind) ?? "an action"}`,
  "approval.resolved": ({ decision }) => `goes on: ${text(decision) ?? "answered"}`,
  "approval.timed_out": () => "goes on: nobody answered",
  "input.requested": ({ question }) => `asks: ${text(question) ?? "a question"}`,
  "limit.rate_limited": () => "is rate limited",
  "limit.retry_scheduled": ({ delay_ms }) =>
    typeof delay_ms === "number" && delay_ms > 0 ? `tries again in ${Math.ceil(delay_ms / 1000)} s` : "tries again",
  "subagent.started": ({ agent_name }) => `waits for the subagent ${text(agent_name) ?? ""}`,
  "gap.run_disconnected": () => "lost its worker",
};

/** One line of at most 160 characters, without control characters. */
export function oneLine(line: string): string {
  const flat = line
    .slice(0, 400)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return (flat.length <= 160 ? flat : `${flat.slice(0, 159)}…`).toWellFormed();
}

/** What a call does, from its input. Undefined if its name says more. */
function callLine(kind: unknown, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { command, cmd, path, file_path, filePath } = input as Data;
  const words = Array.isArray(command) ? command.join(" ") : (text(command) ?? text(cmd));
  const file = text(path) ?? text(file_path) ?? text(filePath);
  if (kind === "shell") return words ? `runs ${words}` : undefined;
  const verb = typeof kind === "string" ? verbs[kind] : undefined;
  return verb && file ? `${verb} ${file}` : undefined;
}

const verbs: Readonly<Record<string, string>> = {
  file_read: "reads",
  file_write: "writes",
  edit: "edits",
  multi_edit: "edits",
};

/** Says less than the line of the same call that was made from its input. */
function uses({ tool_name, tool_call_id }: Data, { toldCall }: NowMemory = {}): string | undefined {
  if (tool_call_id !== undefined && tool_call_id === toldCall) return undefined;
  return `uses ${text(tool_name) ?? "a tool"}`;
}

function currentTodo(todos: unknown): string | undefined {
  if (!Array.isArray(todos)) return undefined;
  const current = todos.find((todo: Data | null) => todo?.status === "in_progress") as Data | undefined;
  return text(current?.content);
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
