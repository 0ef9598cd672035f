import type { ModelRequest, Script, Step, ToolBlock } from "./model-server/script.ts";

/** The tasks that every agent is given. */
export const PROMPT = "Do what the script says.";

/** How each agent's model calls the tools that all agents have. Names and inputs differ; the actions do not. */
export interface Tools {
  shell(command: string): ToolBlock;
  /** A command for which the agent asks permission, if it does not ask for all of them. */
  asking?(command: string): ToolBlock;
  create(path: string, content: string): ToolBlock;
  read(path: string): ToolBlock;
  /** Replaces `before` with `after` in a file. */
  edit(path: string, before: string, after: string): ToolBlock;
  /** Writes a whole file that contains the line `before`. */
  overwrite(path: string, before: string, after: string): ToolBlock;
  /** The model provider's message for a prompt that is too long. */
  overlong: Step;
  /** Calls that write a plan; absent if the agent has no such tool. */
  plan?(steps: readonly string[]): ToolBlock[];
  /**
   * The whole script of a subagent that is given a task, does one thing, and reports "Nothing below."; the agent then
   * answers "All is told.". Absent if the agent has no subagents.
   */
  subagent?(task: string, does: ToolBlock): Script;
  /** The tool `name` of the MCP server `notes`; absent if the agent has no MCP. */
  mcp?(name: string, input: Readonly<Record<string, unknown>>): ToolBlock;
}

const says = (text: string): Step => ({ blocks: [{ type: "text", text }] });
const calls = (...blocks: ToolBlock[]): Step => ({ blocks });

/** A subagent for which the agent waits: its model is called in between. */
export const waitedFor = (spawn: ToolBlock, does: ToolBlock, report: Step = says("Nothing below.")): Script => [
  calls(spawn),
  calls(does),
  report,
  says("All is told."),
];

export const tooLong = {
  anthropic: { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" },
  responses: {
    blocks: [],
    failure: { message: "Your input exceeds the context window.", code: "context_length_exceeded" },
  },
  chat: {
    status: 400,
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
    code: "context_length_exceeded",
  },
  gemini: {
    status: 400,
    message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    code: "INVALID_ARGUMENT",
  },
} satisfies Record<string, Step>;

const tool = (name: string, input: ToolBlock["input"]): ToolBlock => ({ type: "tool", name, input });

const own: Readonly<Record<string, Tools>> = {
  claude: {
    shell: (command) => tool("Bash", { command, description: "Runs it" }),
    create: (file_path, content) => tool("Write", { file_path, content }),
    read: (file_path) => tool("Read", { file_path }),
    edit: (file_path, old_string, new_string) => tool("Edit", { file_path, old_string, new_string }),
    overwrite: (file_path, _, content) => tool("Write", { file_path, content }),
    overlong: tooLong.anthropic,
    plan: (steps) =>
      steps.map((subject) => tool("TaskCreate", { subject, description: subject, activeForm: `${subject} …` })),
    subagent: (prompt, does) => {
      const options = { description: "Looks", subagent_type: "general-purpose", run_in_background: false };
      return waitedFor(tool("Agent", { prompt, ...options }), does);
    },
    mcp: (name, input) => tool(`mcp__notes__${name}`, input),
  },
  codex: {
    shell: (cmd) => tool("exec_command", { cmd }),
    create: (path, content) => {
      const lines = content.split("\n").map((line) => `+${line}\n`);
      return tool("apply_patch", `*** Begin Patch\n*** Add File: ${path}\n${lines.join("")}*** End Patch\n`);
    },
    edit: patch,
    overwrite: patch,
    overlong: tooLong.responses,
    subagent: (message, does) => {
      // Both call the model at the same time; only the agent itself received the prompt.
      const isBelow = ({ body }: ModelRequest) => !JSON.stringify(body).includes(PROMPT);
      return [
        calls({ ...tool("spawn_agent", { message }), namespace: "multi_agent_v1" }),
        { ...calls(does), when: isBelow },
        { ...says("Nothing below."), when: isBelow },
        {
          blocks: ({ body }) => {
            const id = /agent_id[^0-9a-f]+([0-9a-f-]{36})/.exec(JSON.stringify(body))?.[1];
            return [{ ...tool("wait_agent", { targets: [id], timeout_ms: 30_000 }), namespace: "multi_agent_v1" }];
          },
        },
        says("All is told."),
      ];
    },
    plan: (steps) => [tool("update_plan", { plan: steps.map((step) => ({ step, status: "pending" })) })],
    // Codex has no tool for reading: it runs cat.
    read: (path) => tool("exec_command", { cmd: `cat ${path}` }),
    mcp: (name, input) => ({ ...tool(name, input), namespace: "mcp__notes" }),
  },
  copilot: {
    shell: (command) => tool("bash", { command, description: "Runs it" }),
    create: (path, file_text) => tool("create", { path, file_text }),
    read: (path) => tool("view", { path }),
    edit: (path, old_str, new_str) => tool("edit", { path, old_str, new_str }),
    // Its tool for new files refuses to overwrite one.
    overwrite: (path, old_str, new_str) => tool("edit", { path, old_str, new_str }),
    overlong: tooLong.chat,
    // It keeps the plan in a table.
    plan: (steps) => {
      const rows = steps.map((step, n) => `('step-${n}', '${step}', '${step}', 'pending')`);
      const query = `INSERT INTO todos (id, title, description, status) VALUES ${rows.join(", ")}`;
      return [tool("sql", { description: "Insert todos", query })];
    },
    subagent: (prompt, does) => {
      const options = { agent_type: "general-purpose", name: "looker", description: "Looks", mode: "sync" };
      return waitedFor(tool("task", { prompt, ...options }), does);
    },
    mcp: (name, input) => tool(`notes-${name}`, input),
  },
  gemini: {
    shell: (command) => tool("run_shell_command", { command }),
    create: (file_path, content) => tool("write_file", { file_path, content }),
    read: (file_path) => tool("read_file", { file_path }),
    edit: (file_path, old_string, new_string) =>
      tool("replace", { file_path, instruction: "Changes it", old_string, new_string }),
    overwrite: (file_path, _, content) => tool("write_file", { file_path, content }),
    overlong: tooLong.gemini,
    mcp: (name, input) => tool(`mcp_notes_${name}`, input),
    plan: (steps) => [tool("write_todos", { todos: steps.map((description) => ({ description, status: "pending" })) })],
    subagent: (prompt, does) =>
      waitedFor(
        tool("invoke_agent", { agent_name: "generalist", prompt }),
        does,
        calls(tool("complete_task", { result: { response: "Nothing below." } })),
      ),
  },
  openclaw: {
    // When it asks, it refuses shell built-ins such as exit.
    shell: (command) => tool("exec", { command: command.replace(/exit (\d+)/, "awk 'BEGIN {exit $1}'") }),
    create: (path, content) => tool("write", { path, content }),
    read: (path) => tool("read", { path }),
    edit: (path, oldText, newText) => tool("edit", { path, edits: [{ oldText, newText }] }),
    overwrite: (path, _, content) => tool("write", { path, content }),
    overlong: tooLong.chat,
  },
  opencode: {
    shell: (command) => tool("bash", { command, description: "Runs it" }),
    create: (filePath, content) => tool("write", { filePath, content }),
    read: (filePath) => tool("read", { filePath }),
    edit: (filePath, oldString, newString) => tool("edit", { filePath, oldString, newString }),
    overwrite: (filePath, _, content) => tool("write", { filePath, content }),
    overlong: tooLong.chat,
    mcp: (name, input) => tool(`notes_${name}`, input),
    plan: (steps) => [
      tool("todowrite", { todos: steps.map((content) => ({ content, status: "pending", priority: "high" })) }),
    ],
    subagent: (prompt, does) =>
      waitedFor(tool("task", { description: "Looks", prompt, subagent_type: "general" }), does),
  },
  kimi: {
    shell: (command) => tool("Bash", { command }),
    create: (path, content) => tool("Write", { path, content }),
    read: (path) => tool("Read", { path }),
    edit: (path, old_string, new_string) => tool("Edit", { path, old_string, new_string }),
    overwrite: (path, _, content) => tool("Write", { path, content }),
    overlong: tooLong.chat,
    mcp: (name, input) => tool(`mcp__notes__${name}`, input),
    plan: (steps) => [tool("TodoList", { todos: steps.map((title) => ({ title, status: "pending" })) })],
    subagent: (prompt, does) =>
      waitedFor(tool("Agent", { description: "Looks", prompt, subagent_type: "coder" }), does),
  },
  // Each of its own tools has a parameter for the reason of the call.
  omp: {
    shell: (command) => tool("bash", { i: "run it", command }),
    create: (path, content) => tool("write", { i: "write it", path, content }),
    read: (path) => tool("read", { i: "read it", path }),
    edit: (path, old_string, new_string) => tool("edit", { i: "change it", path, old_string, new_string }),
    overwrite: (path, _, content) => tool("write", { i: "write it", path, content }),
    overlong: tooLong.chat,
    // No `mcp`: it waits a quarter of a second for a server, which is not always enough on a busy machine.
    subagent: (task, does) => {
      // The subagent works in the background while the agent waits for it.
      const isBelow = ({ body }: ModelRequest) => !JSON.stringify(body).includes(PROMPT);
      return [
        calls(tool("task", { i: "have it done", context: "none", tasks: [{ name: "Looker", task }] })),
        { ...calls(does), when: isBelow },
        { ...calls(tool("yield", { data: "Nothing below." })), when: isBelow },
        calls(tool("hub", { i: "wait for it", op: "wait" })),
        says("All is told."),
      ];
    },
    plan: (items) => [tool("todo", { i: "plan it", op: "init", list: [{ phase: "Work", items }] })],
  },
  pi: {
    shell: (command) => tool("bash", { command }),
    create: (path, content) => tool("write", { path, content }),
    read: (path) => tool("read", { path }),
    edit: (path, oldText, newText) => tool("edit", { path, edits: [{ oldText, newText }] }),
    overwrite: (path, _, content) => tool("write", { path, content }),
    overlong: tooLong.chat,
  },
  qwen: {
    shell: (command) => tool("run_shell_command", { command, is_background: false }),
    create: (file_path, content) => tool("write_file", { file_path, content }),
    read: (file_path) => tool("read_file", { file_path }),
    edit: (file_path, old_string, new_string) => tool("edit", { file_path, old_string, new_string }),
    overwrite: (file_path, _, content) => tool("write_file", { file_path, content }),
    overlong: tooLong.chat,
    mcp: (name, input) => tool(`mcp__notes__${name}`, input),
    plan: (steps) => [
      tool("todo_write", { todos: steps.map((content, n) => ({ id: `${n}`, content, status: "pending" })) }),
    ],
    subagent: (prompt, does) => {
      const options = { description: "Looks", subagent_type: "general-purpose", run_in_background: false };
      return waitedFor(tool("agent", { prompt, ...options }), does);
    },
  },
};

/** Agents that wrap another agent behind ACP have its tools. */
export const toolsOf: Readonly<Record<string, Tools>> = {
  ...own,
  ...behind("claude-agent-acp", "claude"),
  ...behind("codex-acp", "codex", {
    // Within its sandbox it runs commands without asking.
    asking: (cmd) =>
      tool("exec_command", { cmd, sandbox_permissions: "require_escalated", justification: "May it run?" }),
  }),
  ...behind("kilo", "opencode"),
  ...behind("pi-acp", "pi"),
};

function behind(name: string, agent: string, ways: Partial<Tools> = {}): Record<string, Tools> {
  const tools = own[agent];
  return tools ? { [name]: { ...tools, ...ways } } : {};
}

function patch(path: string, before: string, after: string): ToolBlock {
  return tool("apply_patch", `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`);
}
